# make        → build/steelyard
# make demo   installs what is needed, builds, runs two studies, says where their reports are
# make test   installs what is needed, builds, runs the tests
# make check-full   coverage, valgrind, long runs: hours; writes docs/verification.md
# make fuzz   libFuzzer on every reader, SECONDS=10 each
BUILD := build
CMAKE := cmake
ifneq ($(wildcard ../shared/data),)
export STEELYARD_DATA ?= $(abspath ../shared/data)
endif
ifneq ($(shell command -v ccache),)
LAUNCHER := -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache
# What one checkout has compiled, another takes.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
endif
# make WEB=ON: without npm and its packages the build stops; otherwise it warns and reports are plain.
ifdef WEB
LAUNCHER += -DSTEELYARD_WEB=$(WEB)
endif

.PHONY: all demo test mpi fuzz check-full bench league forecast-page bench-page docs deb python format tidy install clean deps deps-test deps-dev deps-fuzz deps-mpi deps-python

all:
	$(CMAKE) --preset release $(LAUNCHER) -Wno-dev
	$(CMAKE) --build $(BUILD) --target steelyard_cli

demo: deps all
	$(BUILD)/steelyard run examples/demo/study.yaml --out $(BUILD)/demo
	$(BUILD)/steelyard run examples/kr5-signs/study.yaml --out $(BUILD)/kr5-signs

test: deps deps-test deps-python
	$(CMAKE) --preset release $(LAUNCHER) -Wno-dev -DSTEELYARD_BUILD_TESTS=ON -DSTEELYARD_BUILD_PYTHON=ON
	$(CMAKE) --build $(BUILD)
	ctest --test-dir $(BUILD) --output-on-failure -j 2

mpi: deps deps-mpi
	$(CMAKE) --preset release $(LAUNCHER) -Wno-dev -DSTEELYARD_MPI=ON
	$(CMAKE) --build $(BUILD) --target steelyard_cli steelyard_mpi
	@echo "Written: $(BUILD)/steelyard-mpi; use it by mpirun -n 4 $(BUILD)/steelyard-mpi run STUDY"

bench: deps deps-test
	$(CMAKE) --preset release $(LAUNCHER) -Wno-dev -DSTEELYARD_BUILD_BENCH=ON
	$(CMAKE) --build $(BUILD) --target bench/all
	scripts/bench $(BUILD)

# Readers are instrumented; all else comes from the ordinary library.
SECONDS := 10
fuzz: deps deps-fuzz all
	$(CMAKE) --preset fuzz $(LAUNCHER) -Wno-dev -DSTEELYARD_FUZZ_LIBRARY=$(abspath $(BUILD))/src/libsteelyard.a
	$(CMAKE) --build build-fuzz --target fuzz_all
	scripts/fuzz build-fuzz $(SECONDS)

check-full: deps deps-test deps-dev all
	scripts/check-full

# The league table of all real logs: docs/league.md. Needs STEELYARD_DATA.
league: deps deps-test all
	scripts/league --program $(BUILD)/steelyard --report $(BUILD)/league

# The forecast of errors on other motions, against measured ones, on the same logs and on simulated robots with a known truth
# (scripts/forecast, scripts/strangers): docs/forecast.md.
forecast-page: deps all
	scripts/strangers --program $(BUILD)/steelyard --population clean --feasible --seed 7777 --count 100 --json $(BUILD)/strangers.json
	scripts/forecast --program $(BUILD)/steelyard --strangers $(BUILD)/strangers.json

# The numbers of docs/benchmarks.md, on a machine with nothing else to do.
bench-page: deps deps-test
	$(CMAKE) --preset release $(LAUNCHER) -Wno-dev -DSTEELYARD_BUILD_BENCH=ON
	$(CMAKE) --build $(BUILD) --target steelyard_cli bench/all
	scripts/bench-page $(BUILD)

install: all
	$(CMAKE) --build $(BUILD)
	$(CMAKE) --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

python: deps deps-python
	$(CMAKE) --preset release $(LAUNCHER) -Wno-dev -DSTEELYARD_BUILD_PYTHON=ON
	$(CMAKE) --build $(BUILD) --target steelyard_cli steelyard_python
	@echo "Written: $(BUILD)/python/steelyard; use it by PYTHONPATH=$(abspath $(BUILD))/python"

deb: deps
	$(CMAKE) --preset release $(LAUNCHER) -B build-deb -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr -Wno-dev
	$(CMAKE) --build build-deb
	cd build-deb && cpack -B $(abspath $(BUILD))
	@echo "Written: $$(ls $(BUILD)/steelyard*.deb)"

docs: deps-dev all
	scripts/check-docs $(BUILD)/steelyard
	mkdocs build --strict --quiet
	@echo "Written: $(BUILD)/site/index.html"

# docs/study.schema.json, the key tables of docs/study.md and the fuzzer's words, from the descriptions of the keys.
schema:
	cmake --build build --target study_test
	STEELYARD_WRITE_DOCS=1 build/tests/study/study_test --gtest_filter='StudyKeys.*Generated'

format: deps-dev
	git ls-files '*.cpp' '*.hpp' '*.inl' '*.c' '*.h' | xargs clang-format-14 -i

tidy: deps deps-dev
	scripts/tidy

deps:
	@scripts/deps build
deps-test:
	@scripts/deps test
deps-dev:
	@scripts/deps dev
deps-fuzz:
	@scripts/deps fuzz
deps-mpi:
	@scripts/deps mpi
deps-python:
	@scripts/deps python

clean:
	rm -rf build build-deb build-debug build-tsan build-coverage build-tidy build-fuzz
