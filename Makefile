# Each target sets the checkout up first; that is quick when nothing is to be done.
PYTHON := .venv/bin/python
# What is compiled once is kept: a run starts Python some thousand times, and pytest rewrites each test's assertions.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test quick lint ruff bench lab pages pictures languages languages-check set-up prove fuzz faults loss-check ranking-check published-check \
        undo-check arrays-check change-check rescue-check config-check practice-check sleep-check wheel-check bare-check deb deb-check disks-check predict-check studies-check \
        attack-check shootout-check exports-check joined-check boot-check arrays-here-check clean

# KERNEL=6.1, 6.12 or 7.2: the practice machines of tests and proofs run that Linux, with the mdadm, UDisks2 and fio of its
# Debian. Without it the proofs that compare two run 6.1 and 6.12, all else 6.1; but in `make test` the proofs' drawn
# parts go round all three.
GENERATION_6.1 := bookworm
GENERATION_6.12 := trixie
GENERATION_7.2 := forky
ifdef KERNEL
export RAIDWRIGHT_GENERATION := $(or $(GENERATION_$(KERNEL)),$(error KERNEL can be 6.1, 6.12 or 7.2, not $(KERNEL)))
endif

run: set-up
	@$(PYTHON) -m tests.kit

# Four at a time, since a practice machine often waits; which takes what stands in tests/turns.py. On two idle cores
# less than eight minutes, with some of what lasts long: SEED=7 draws others, WHOLE=1 takes all, in an hour.
test: set-up ruff
	$(PYTHON) -m tests.supervised $(PYTHON) -m pytest -n 4 --no-loadscope-reorder --durations 40 --durations-min 10 --beside=.venv/bin/mypy \
	  $(if $(WHOLE),,--sample $(or $(SEED),$(shell git rev-list --count HEAD 2>/dev/null),1))

# While at work: the linters and whatever needs neither a practice machine nor a window; about two minutes.
quick: set-up lint
	$(PYTHON) -m pytest -n 2 tests/unit tests/test_architecture.py

lint: set-up ruff
	.venv/bin/mypy

ruff: set-up
	.venv/bin/ruff check
	.venv/bin/ruff format --check

bench:
	@packaging/set-up bench
	PYTHONPATH=helpers dbus-run-session -- $(PYTHON) -m tests.benchmarks $(ONLY)

prove: set-up
	$(PYTHON) -m tests.prove $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

fuzz: set-up
	$(PYTHON) -m tests.fuzz $(if $(SEED),--seed $(SEED)) $(if $(CALLS),--calls $(CALLS))

# Every step of a build, struck by every fault; about a quarter of an hour.
faults: set-up
	$(PYTHON) -m tests.faults $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

loss-check: set-up
	@$(PYTHON) -m tests.loss_check

# Pools of disks, ranked, with the reasons; and whether the first of each would be signed.
ranking-check: set-up
	@$(PYTHON) -m tests.ranking_check

# What others measured of arrays, against what is predicted from their single disks.
published-check: set-up
	@$(PYTHON) -m tests.published_check $(if $(ABLATE),--ablate)

# Arrays in every state that they can be found in, with mdadm 4.2 and 4.4, listed, explained, started or refused; with
# power cuts, in ten minutes or so.
arrays-here-check: set-up
	@$(PYTHON) -m tests.arrays_here $(if $(MDADM),--mdadm $(MDADM)) $(if $(ONLY),--only "$(ONLY)")

# Acts on arrays that are mounted, just grown, degraded, parted, reshaping …, in drawn sequences while others look: every
# file by its checksum. Half an hour.
attack-check: set-up
	@$(PYTHON) -m tests.attack_check $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only "$(ONLY)")

# The whole proof that what a build overwrites can be put back: minutes, so not part of `make test`. SEED=7 draws other
# sequences.
undo-check: set-up
	UNDO_SEED=$(or $(SEED),0) $(PYTHON) -m pytest tests/lab/undo_whole.py

# The whole proof of the verbs on arrays that run: minutes, too.
arrays-check: set-up
	$(PYTHON) -m pytest tests/lab/arrays_whole.py tests/lab/replace_whole.py

# Arrays lost in every way that a rescue is for, tried on overlays and brought back: a quarter of an hour.
rescue-check: set-up
	$(PYTHON) -m pytest tests/lab/rescue_whole.py tests/lab/rescue_layout_whole.py

# Every way of changing an array, under a mounted file system, on mdadm 4.2 and 4.4, with the power cut and the helper
# killed in between; tables in build/checks/change*.csv: two hours. SEED=7 draws other places for the cuts.
change-check: set-up
	rm -f build/checks/change.csv build/checks/change-times.csv build/checks/change-cuts.csv
	CHANGE_SEED=$(or $(SEED),35) $(PYTHON) -m pytest tests/lab/change_whole.py tests/lab/change_times_whole.py \
	  tests/lab/change_cuts_whole.py tests/lab/change_by_hand_whole.py

# Each form of mdadm.conf's and fstab's lines, written by the helper and brought up by udev and by mdadm: seven minutes.
config-check: set-up
	$(PYTHON) -m pytest tests/lab/config_lines_whole.py

# What a practice machine is there to teach, to the end, with 2 GB of files on each file system: a quarter of an hour.
practice-check: set-up
	$(PYTHON) -m pytest tests/lab/practice_whole.py tests/lab/prove_by_clicks_whole.py tests/lab/ssh_by_clicks_whole.py \
	  tests/lab/tour_whole.py

# An hour of the open window over disks that sleep, each spin-up counted. MINUTES=10 takes less.
sleep-check: set-up
	SLEEP_MINUTES=$(or $(MINUTES),60) $(PYTHON) -m pytest tests/lab/sleeping_whole.py

# Each kind of practice disk, measured by fio, against its data sheet: three quarters of an hour on an idle computer.
disks-check: set-up
	@$(PYTHON) -m tests.disks_check $(if $(KIND),--kind $(KIND)) $(if $(SEED),--seed $(SEED)) $(if $(PACE),--pace $(PACE))

# Arrays of drawn disks, predicted from their disks alone, against fio on the real md: two hours, idle as well. AGAIN=1
# holds what was measured then against what is predicted now, ABLATE=1 without each term of the model in turn. OWN_JOBS=1
# takes twenty fio jobs of people's own instead, on two kinds of disks; JOINED=2 so many volumes of unlike disks; WIDE=1
# the streams of a raid5 of eight.
predict-check: set-up
	@$(PYTHON) -m tests.predict_check $(if $(SEED),--seed $(SEED)) $(if $(KIND),--kind $(KIND)) \
	  $(if $(ARRAYS),--arrays $(ARRAYS)) $(if $(AGAIN),--again) $(if $(ABLATE),--ablate) $(if $(OWN_JOBS),--own-jobs) \
	  $(if $(JOINED),--joined $(JOINED)) $(if $(WIDE),--wide) $(if $(PACE),--pace $(PACE))

# Published studies done again on practice disks like theirs: an hour and a quarter, idle as well.
studies-check: set-up
	@$(PYTHON) -m tests.studies_check $(if $(ONLY),--only $(ONLY))

# A shoot-out like a published study's, whole and cut off in the middle: forty minutes, idle as well.
shootout-check: set-up
	$(PYTHON) -m pytest tests/lab/suites_whole.py tests/lab/shootouts_whole.py
	@$(PYTHON) -m tests.shootout_check $(if $(MINUTES),--minutes $(MINUTES)) $(if $(ONLY),--only "$(ONLY)")

# The wheel alone on a bare Debian 12 and on a bare 13, as root: ten minutes, and 4 GB of room.
wheel-check: set-up
	PYTHONPATH=packaging $(PYTHON) -m tests.wheel_check $(if $(DEBIAN),--debian $(DEBIAN))

# README's two commands in a clone of HEAD on a bare Debian 12, 13 and testing, as root and as a user with sudo: `make run`
# takes three minutes on each, `make test` eighteen. DEBIAN=12|13|testing, AS=root|user and ONLY=run|test do a part. Needs
# root. (AS is as(1) to make, unless it is given.)
bare-check: set-up
	@PYTHONPATH=packaging $(PYTHON) -m tests.bare_check $(if $(DEBIAN),--debian $(DEBIAN)) $(if $(filter-out default,$(origin AS)),--as $(AS)) $(if $(ONLY),--only $(ONLY))

# Two Debian packages in build/deb, the same bytes each time from the same commit on the same Debian.
deb:
	@packaging/set-up deb
	@PYTHONPATH=packaging $(PYTHON) -m deb $(if $(VERSION),--version $(VERSION))

# Built twice, seen by lintian, installed, upgraded and purged on a bare Debian 12 and 13, as root: a quarter of an hour.
deb-check:
	@packaging/set-up deb-check
	PYTHONPATH=packaging $(PYTHON) -m tests.deb_check $(if $(DEBIAN),--debian $(DEBIAN))

# Every exported playbook through ansible-lint, one played twice on practice machines: ten minutes, and pip's network.
exports-check: set-up
	@$(PYTHON) -m tests.exports_check

# Joined arrays on drawn pools against real GPT, md and LVM, each disk pulled, grown and cut off: about 40 minutes.
joined-check: set-up
	$(PYTHON) -m pytest tests/lab/joined_build_whole.py tests/lab/joined_replace_whole.py tests/lab/joined_growth_whole.py
	$(PYTHON) -m tests.joined_check $(if $(SEED),--seed $(SEED))

# Switched off and on again, a disk lost, the monthly check, mails, on practice machines (Debian 12, 13): ten minutes.
boot-check: set-up
	@$(PYTHON) -m tests.boot_check $(if $(DEBIAN),--debian $(DEBIAN))

lab: set-up
	@$(PYTHON) -m raidwright lab up 4x8TB

# The pictures that the documents show; a folder docs/LANG/pictures/ wants them in that language, too.
pictures: set-up
	$(PYTHON) -m tests.kit.rooms
	$(PYTHON) -m tests.pages.shown

# Every station, dialog, empty place and error, light and dark, in each language, at 100 % and 200 %, drawn into
# build/pages and measured for what is cut off; and each by a screen reader's eyes. Ten minutes.
pages: set-up
	$(PYTHON) -m pytest tests/ui/at_spi_whole.py
	@$(PYTHON) -m tests.pages $(if $(ONLY),--only $(ONLY))

# Each language's messages as they are now; a folder below resources/translations/ is a language.
languages: set-up
	$(PYTHON) packaging/translations.py update

# Messages that a language lacks, and so says in English; fails while there are any: for a release, not for `make test`.
languages-check: set-up
	@$(PYTHON) packaging/translations.py check

set-up:
	@packaging/set-up

clean:
	rm -rf build .venv
