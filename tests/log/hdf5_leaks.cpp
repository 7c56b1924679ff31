// libhdf5 1.10 forgets a few hundred bytes when it refuses a damaged file. Nothing of ours: the leak checker
// of the sanitizer build is told to; unused without sanitizers.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5";
}
