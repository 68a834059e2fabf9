"""What steps and samples are taken to show."""

from loadtests.load.verdicts import StepSeen, growth, knee

OPS = "http://127.0.0.1:9464"


def step(users: int, *, holds: bool) -> StepSeen:
    return StepSeen(users, users * 10.0, 50.0 if holds else 900.0, 0.0, holds)


def test_the_knee_is_the_last_step_that_kept_the_bounds() -> None:
    assert knee([step(10, holds=True), step(15, holds=True), step(22, holds=False)]).startswith("knee: 15 users, 150 calls/s, p99 50 ms; the next step did not")


def test_without_a_step_that_failed_the_knee_lies_higher() -> None:
    assert knee([step(10, holds=True), step(15, holds=True)]).endswith("no bound was passed: the knee lies higher")


def test_a_first_step_that_fails_has_no_knee() -> None:
    assert knee([step(10, holds=False)]) == "not even the first step kept the bounds"


def test_masters_that_grows_to_the_end_is_named() -> None:
    assert growth({OPS: [60.0 + sample for sample in range(100)]}) == [f"{OPS}: 97 MB in the second quarter, 147 MB in the last"]


def test_masters_that_grows_while_the_worker_warms_up_is_no_growth() -> None:
    assert growth({OPS: [60.0 + min(sample, 20) for sample in range(100)]}) == []


def test_too_few_samples_show_nothing_and_say_so() -> None:
    assert growth({OPS: [60.0, 61.0]}) == [f"{OPS}: too few samples"]
