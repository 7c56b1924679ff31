"use strict";
// Anything that goes wrong in the page is written on <html>, where tests look for it.
(() => {
  const note = (text) => {
    const root = document.documentElement;
    root.dataset.error = (root.dataset.error ? root.dataset.error + "; " : "") + text;
  };
  window.addEventListener("error", (event) => note(event.message || "an element could not be loaded"), true);
  window.addEventListener("unhandledrejection", (event) => note(String(event.reason)));
  document.addEventListener("securitypolicyviolation", (event) => note("blocked: " + event.violatedDirective));
})();
