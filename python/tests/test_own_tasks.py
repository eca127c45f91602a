"""Tasks of one's own on arrays of all worlds: the pole of the guide, what is checked, and the learner on them."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bellcrank as bc
from bellcrank import errors
from bellcrank.envs import BatchTask, Env, TaskEnv, make
from bellcrank.learn import evaluate, train

SHARED = Path(__file__).resolve().parents[3] / "shared"


class Balance(BatchTask):
    """Keep a pole upright; 1 for every action, 250 of them."""

    dt = 0.01
    decimation = 2
    episode_steps = 250

    def __init__(self) -> None:
        self.model = bc.load("cartpole")

    def reset(self, batch: bc.Batch, worlds: NDArray[np.intp], random: np.random.Generator) -> None:
        start = random.uniform(-0.1, 0.1, (2, len(worlds)))
        batch.assemble({"slide": start[0], "hinge": start[1]}, worlds=worlds)

    def act(self, batch: bc.Batch, actions: NDArray[np.float32]) -> None:
        batch.effort = 10.0 * actions

    def observe(self, batch: bc.Batch) -> Any:
        return np.hstack([batch.joint_position, batch.joint_velocity])

    def reward(self, batch: bc.Batch) -> Any:
        return {"alive": np.ones(batch.worlds), "effort": -1e-4 * np.abs(batch.effort[:, 0])}

    def terminated(self, batch: bc.Batch) -> Any:
        slide, hinge = batch.joint_position.T
        return (np.abs(hinge) > 0.3) | (np.abs(slide) > 1.0)


def rollout(seed: int, steps: int = 40) -> NDArray[np.float32]:
    env = make(Balance(), num_envs=6, threads=2, seed=seed)
    random = np.random.default_rng(3)
    rows = []
    for _ in range(steps):
        done = env.step(random.uniform(-1, 1, (6, 1)))
        rows.append(np.column_stack([done.observations, done.rewards]))
    return np.array(rows)


def test_a_rollout_follows_from_its_seed() -> None:
    np.testing.assert_array_equal(rollout(1), rollout(1))
    assert not np.array_equal(rollout(1), rollout(2))


def test_figures_follow_from_the_task() -> None:
    env = make(Balance(), num_envs=4)
    assert isinstance(env, Env)
    assert isinstance(env, TaskEnv)
    assert isinstance(env.batch_task, Balance)
    assert (env.task, env.num_envs, env.observation_count, env.action_count) == ("Balance", 4, 4, 1)
    assert (env.episode_steps, env.autoreset) == (250, True)
    assert env.seconds_per_action == pytest.approx(0.02)
    assert env.model is env.batch.model
    done = env.step(np.full((4, 1), 0.5))
    terms = env.reward_terms
    assert list(terms) == ["alive", "effort"]
    np.testing.assert_allclose(terms["effort"], -1e-4 * 5.0, rtol=1e-6)
    np.testing.assert_allclose(done.rewards, terms["alive"] + terms["effort"], rtol=1e-6)


def test_worlds_that_fail_or_grow_old_begin_anew() -> None:
    env = make(Balance(), num_envs=3)
    # full force to one side: the pole tips over within half a second, since its time constant is about 0.2 s
    ended = np.zeros(3, dtype=bool)
    for _ in range(50):
        done = env.step(np.ones((3, 1)))
        now = done.terminated & ~ended
        assert (np.abs(done.final_observations[now][:, :2]) > [1.0, 0.3]).any(axis=1).all()
        assert (np.abs(done.observations[done.terminated][:, 1]) <= 0.1 + 1e-6).all()
        ended |= done.terminated
    assert ended.all()

    class Short(Balance):
        episode_steps = 3

    env = make(Short(), num_envs=3)
    cuts = [env.step(np.zeros((3, 1))).truncated.copy() for _ in range(7)]
    assert [bool(cut.all()) for cut in cuts] == [False, False, True] * 2 + [False]
    kept = make(Short(), num_envs=1, autoreset=False)
    for _ in range(3):
        done = kept.step(np.zeros((1, 1)))
    np.testing.assert_array_equal(done.observations, done.final_observations)


def test_worlds_are_reset_one_by_one() -> None:
    env = make(Balance(), num_envs=3, seed=1)
    env.step(np.ones((3, 1)))
    before = env.observations.copy()
    after = env.reset(worlds=[1])
    np.testing.assert_array_equal(after[[0, 2]], before[[0, 2]])
    assert not np.array_equal(after[1], before[1])
    with pytest.raises(errors.NoSuchWorld):
        env.reset(worlds=[3])


def test_the_native_learner_balances_it() -> None:
    # a constant reward of one per action: nothing earns more than 250, and doing nothing earns a tenth of it
    settings = {"horizon": 32, "hidden": [32, 32], "deviation": 0.5}
    policy = train(make(Balance(), num_envs=64), updates=100, seed=2, config=settings)
    assert policy.task == "Balance"
    found = evaluate(policy, 64, env=Balance())
    assert (found.episodes, found.fall_fraction) == (64, 0.0)
    assert found.return_mean > 249.0


def test_training_repeats_and_is_kept(tmp_path: Path) -> None:
    def once(folder: Path) -> bytes:
        settings = {"horizon": 8, "hidden": [8], "minibatches": 2}
        train(Balance(), worlds=16, updates=2, config=settings, out=folder)
        return (folder / "policy.safetensors").read_bytes()

    assert once(tmp_path / "a") == once(tmp_path / "b")
    assert (tmp_path / "a" / "report.html").exists()
    assert not (tmp_path / "a" / "checkpoint.safetensors").exists()  # worlds of Python's are not resumed
    with pytest.raises(errors.WrongValue, match="cannot be resumed"):
        train(make(Balance(), 16), out=tmp_path / "a", resume=True)


def test_ctrl_c_ends_training_of_ones_own_task() -> None:
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        train(Balance(), worlds=64, minutes=5, config={"hidden": [8]})


def test_an_exception_in_a_task_comes_through_the_learner() -> None:
    class Broken(Balance):
        steps = 0

        def reward(self, batch: bc.Batch) -> Any:
            self.steps += 1
            if self.steps > 5:
                raise ZeroDivisionError("in my reward")
            return np.ones(batch.worlds)

    with pytest.raises(ZeroDivisionError, match="in my reward"):
        train(Broken(), worlds=8, updates=3, config={"hidden": [8]})


def test_what_a_task_gives_is_checked() -> None:
    class Flat(Balance):
        def observe(self, batch: bc.Batch) -> Any:
            return batch.joint_position[:, 0]

    class Lost(Balance):
        def reward(self, batch: bc.Batch) -> Any:
            return np.full(batch.worlds, np.nan)

    class Fickle(Balance):
        count = 0

        def reward(self, batch: bc.Batch) -> Any:
            self.count += 1
            return {f"term_{self.count}": np.zeros(batch.worlds)}

    class Wide(Balance):
        def terminated(self, batch: bc.Batch) -> Any:
            return np.zeros((batch.worlds, 2), dtype=bool)

    with pytest.raises(errors.WrongShape, match="observe gave"):
        make(Flat(), 2)
    for task, error, text in (
        (Lost(), errors.NotFinite, "reward 'reward' of world 0"),
        (Fickle(), errors.WrongValue, "term_2"),
        (Wide(), errors.WrongShape, "terminated gave"),
    ):
        env = make(task, 2)
        with pytest.raises(error, match=text):
            env.step(np.zeros((2, 1)))
    env = make(Balance(), 2)
    with pytest.raises(errors.NotFinite, match="world 1"):
        env.step(np.array([[0.0], [np.nan]]))
    with pytest.raises(errors.WrongType):
        make(3)  # type: ignore[arg-type]
    with pytest.raises(errors.WrongValue):
        make(Balance(), settings={"push": 1.0})
    policy = bc.learn.Policy.load("biped_walk")
    with pytest.raises(errors.WrongValue, match="trained on 'biped_walk', not on 'Balance'"):
        evaluate(policy, 1, env=Balance())
    with pytest.raises(errors.WrongType, match="tasks of your own"):
        evaluate(policy, 1, env=make("biped_walk"))


def test_the_default_reset_is_the_reference_pose() -> None:
    class Plain(Balance):
        reset = BatchTask.reset
        terminated = BatchTask.terminated
        setup = BatchTask.setup

    env = make(Plain(), 2)
    assert Plain().name == "Plain"
    np.testing.assert_array_equal(env.observations, np.zeros((2, 4)))


def test_gymnasium_takes_ones_own_task() -> None:
    pytest.importorskip("gymnasium")
    from bellcrank.envs.gymnasium import SingleEnv, VectorEnv

    vector = VectorEnv(make(Balance(), 3))
    observations, _ = vector.reset(seed=1)
    assert observations.shape == (3, 4)
    *_, info = vector.step(np.zeros((3, 1), np.float32))
    assert set(info["reward_terms"]) == {"alive", "effort"}
    single = SingleEnv(Balance())
    single.reset(seed=1)
    assert single.step(np.zeros(1, np.float32))[4]["reward_terms"]["alive"] == 1.0


def test_worlds_of_an_environment_are_recorded_and_shown() -> None:
    for env in (make(Balance(), 2), make("biped_walk", 2)):
        with env.record(frames_per_second=50.0) as recording:
            for _ in range(5):
                env.step(np.zeros((2, env.action_count)))
        assert "<html" in recording.html
        with env.view() as viewer:
            env.step(np.zeros((2, env.action_count)))
            assert viewer.url.startswith("http")


def test_the_batch_of_a_task_that_ships_is_the_one_that_is_stepped() -> None:
    env = make("biped_walk", 3)
    batch = env.batch
    assert env.batch is batch
    assert (batch.worlds, batch.precision) == (3, "f32")
    height = batch.body_position[:, 0, 2].copy()
    held = batch.joint_position
    first = held.copy()
    done = env.step(np.full((3, 12), 0.5))
    assert not np.array_equal(held, first)  # followed the step
    np.testing.assert_array_equal(done.observations[:, 22:58], held)  # what the policy sees
    # lifted by a metre, it is a metre higher when it is seen next: 50 Hz, and falls by g/2·0.02² = 2 mm
    batch.body_position[:, :, 2] += 1.0
    env.step(np.zeros((3, 12)))
    lifted = batch.body_position[:, 0, 2] - height
    assert (np.abs(lifted - 1.0) < 0.05).all()
    batch.close()
    with pytest.raises(errors.BatchClosed):
        env.step(np.zeros((3, 12)))


def test_robots_are_told_where_to_go() -> None:
    env = bc.envs.BatchedEnv("biped_walk", 2, settings={"command_interval": 0.0})
    env.tell([0.3, 0.05, -0.1], worlds=[1])
    done = env.step(np.zeros((2, 12)))
    np.testing.assert_allclose(done.observations[1, 15:18], [0.3, 0.05, -0.1], rtol=1e-6)
    with pytest.raises(errors.NoCommands):
        bc.envs.BatchedEnv("ant").tell([0, 0, 0])
    with pytest.raises(errors.NoSuchSetting):
        bc.envs.BatchedEnv("ant", settings={"speed": 1.0})


def test_a_robot_that_does_not_ship_is_brought(tmp_path: Path) -> None:
    with pytest.raises(errors.NeedsRobot, match="model="):
        make("dr_legs_walk")
    with pytest.raises(errors.HasRobot):
        make("ant", model=write_robot(tmp_path))
    with pytest.raises(errors.OtherRobot, match="pelvis"):
        train("dr_legs_walk", model=write_robot(tmp_path))
    file = SHARED / "data" / "dr_legs" / "dr_legs_with_boxes.usda"
    if not file.exists():
        pytest.skip("needs the folder shared beside the repository")
    env = make("dr_legs_walk", 4, model=file)
    policy = train(env, updates=1, config={"horizon": 4, "hidden": [8]})
    assert evaluate(policy, 2, model=file).episodes == 2


def write_robot(folder: Path) -> Path:
    path = folder / "pendulum.xml"
    path.write_text(bc.load("pendulum").to_mjcf().text)
    return path


def test_flights_of_a_dropped_box_are_as_long_as_free_fall() -> None:
    # lifted by h, it falls for √(2h/g); looked at every 2 ms, a flight is known within one look and one step
    model = bc.load("box")
    batch = bc.Batch(model, worlds=2, dt=0.002)
    batch.step(200)  # at rest
    flights = bc.envs.AirTime(batch, [model.body_names[0]])
    flights.update(batch, 0.002)
    assert flights.touching.all()
    height = np.array([0.05, 0.2])
    batch.body_position[:, 0, 2] += height
    landed = np.zeros(2)
    for _ in range(200):
        batch.step()
        flights.update(batch, 0.002)
        landed = np.maximum(landed, flights.landed[:, 0])
    np.testing.assert_allclose(landed, np.sqrt(2 * height / 9.81), atol=0.006)
    batch.body_position[:, 0, 2] += 1.0
    batch.step()
    flights.update(batch, 0.002)
    assert (flights.air > 0).all()
    flights.reset([1])
    assert flights.air[0, 0] > 0
    assert flights.air[1, 0] == 0
    with pytest.raises(errors.WrongValue):
        bc.envs.AirTime(batch, ["box"], threshold=-1.0)
