"""Learning tasks: the plain interface, Gymnasium, seeds and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bellcrank.envs as envs
from bellcrank import errors

NAMES = {
    "cartpole_swing_up": "bellcrank/CartpoleSwingUp-v0",
    "ant": "bellcrank/Ant-v0",
    "hopper": "bellcrank/Hopper-v0",
    "biped_stand": "bellcrank/BipedStand-v0",
    "biped_walk": "bellcrank/BipedWalk-v0",
    "biped_rough": "bellcrank/BipedRough-v0",
    "quadruped_walk": "bellcrank/QuadrupedWalk-v0",
    "quadruped_get_up": "bellcrank/QuadrupedGetUp-v0",
    "jansen_walk": "bellcrank/JansenWalk-v0",
}


def rollout(task: str, threads: int, seed: int = 3) -> bytes:
    env = envs.BatchedEnv(task, 24, threads=threads, seed=seed)
    rng = np.random.default_rng(11)
    seen = [env.reset().tobytes()]
    for _ in range(15):
        done = env.step(rng.uniform(-1, 1, (24, env.action_count)))
        seen += [done.observations.tobytes(), done.rewards.tobytes(), done.terminated.tobytes()]
    return b"".join(seen)


def test_all_tasks_are_there() -> None:
    assert set(envs.tasks()) == set(NAMES)


@pytest.mark.parametrize("task", NAMES)
def test_rollouts_are_repeatable_for_one_and_two_threads(task: str) -> None:
    first = rollout(task, 1)
    assert rollout(task, 2) == first
    assert rollout(task, 1, seed=4) != first


@pytest.mark.parametrize("task", NAMES)
def test_shapes_types_and_values(task: str) -> None:
    env = envs.BatchedEnv(task, 4)
    done = env.step(np.zeros((4, env.action_count)))
    assert isinstance(done, envs.BatchedStep)
    assert done.observations.shape == done.final_observations.shape == (4, env.observation_count)
    assert done.observations.dtype == np.float32
    assert np.isfinite(done.observations).all()
    assert done.rewards.shape == done.terminated.shape == done.truncated.shape == (4,)
    assert env.seconds_per_action > 0
    assert env.episode_steps > 0
    if task == "biped_walk":
        assert (env.observation_count, env.action_count, env.seconds_per_action) == (94, 12, 0.02)


def test_ended_worlds_begin_anew_and_show_their_last_observation() -> None:
    env = envs.BatchedEnv("cartpole_swing_up", 3)
    still = np.zeros((3, 1))
    for _ in range(env.episode_steps - 1):
        assert not env.step(still).truncated.any()
    done = env.step(still)
    assert done.truncated.all()
    assert not done.terminated.any()
    assert not np.array_equal(done.observations, done.final_observations)
    some = env.reset(worlds=[1]).copy()
    assert some.shape == (3, 5)


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(errors.NoSuchTask, match="juggle"):
        envs.BatchedEnv("juggle")
    with pytest.raises(errors.NoWorlds):
        envs.BatchedEnv("ant", 0)
    with pytest.raises(errors.WrongValue, match="precision"):
        envs.BatchedEnv("ant", precision="f16")
    env = envs.BatchedEnv("ant", 2)
    with pytest.raises(errors.WrongShape, match=r"expected: \(2, 8\)"):
        env.step(np.zeros((2, 7)))
    with pytest.raises(errors.BadAction, match="world 1"):
        env.step(np.array([[0.0] * 8, [np.nan] * 8]))
    with pytest.raises(errors.WrongType):
        env.step([["a"] * 8] * 2)
    with pytest.raises(errors.NoSuchWorld):
        env.reset(worlds=[2])
    with pytest.raises(errors.WrongValue):
        env.reset(seed=-1)
    with pytest.raises(errors.WrongValue):
        env.reset(seed=1, worlds=[0])


def test_registering_twice_does_no_harm() -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    envs.register()
    assert set(NAMES.values()) <= set(gymnasium.registry)


@pytest.mark.parametrize("name", NAMES.values())
def test_the_gymnasium_checker_is_content(name: str) -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", NAMES.values())
def test_vector_environments_are_made_by_name(name: str) -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    vector = gymnasium.make_vec(name, num_envs=6)
    assert vector.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    observations, info = vector.reset(seed=1)
    assert vector.observation_space.contains(observations)
    assert info == {}
    again, _ = vector.reset(seed=1)
    np.testing.assert_array_equal(observations, again)
    vector.action_space.seed(2)
    for _ in range(5):
        observations, rewards, terminated, truncated, info = vector.step(vector.action_space.sample())
        assert vector.observation_space.contains(observations)
        assert rewards.shape == terminated.shape == truncated.shape == (6,)
    masked, _ = vector.reset(options={"reset_mask": np.array([True] + [False] * 5)})
    np.testing.assert_array_equal(masked[1:], observations[1:])
    vector.close()


def test_the_same_step_reset_tells_the_final_observation() -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    vector = gymnasium.make_vec("bellcrank/CartpoleSwingUp-v0", num_envs=2, autoreset_mode="same_step")
    alone = gymnasium.make("bellcrank/CartpoleSwingUp-v0").unwrapped
    vector.reset(seed=5)
    alone.reset(seed=5)  # world 0 of the same seed
    action = np.full((2, 1), 0.3, np.float32)
    for _ in range(alone.env.episode_steps):
        observations, _, _, truncated, info = vector.step(action)
        last, _, _, cut, _ = alone.step(action[0])
    assert truncated.all()
    assert cut
    np.testing.assert_array_equal(info["final_obs"][0], last)
    assert info["_final_obs"].all()
    assert info["_final_info"].all()
    assert info["final_info"] == {}
    assert set(info["reward_terms"]) == set(alone.step(action[0])[4]["reward_terms"]) == {"reward"}
    assert not np.array_equal(observations[0], last)


def test_final_observations_are_there_for_ended_worlds_only() -> None:
    # as Gymnasium's own vector environments tell it: None where no episode has ended
    gymnasium: Any = pytest.importorskip("gymnasium")
    same_step = gymnasium.vector.AutoresetMode.SAME_STEP
    ours = gymnasium.make_vec("bellcrank/Hopper-v0", num_envs=8, autoreset_mode=same_step)
    single = [lambda: gymnasium.make("bellcrank/Hopper-v0") for _ in range(8)]
    theirs = gymnasium.vector.SyncVectorEnv(single, autoreset_mode=same_step)

    def first_end(vector: Any) -> tuple[dict[str, Any], np.ndarray]:
        vector.reset(seed=0)
        vector.action_space.seed(0)
        for _ in range(400):
            *_, terminated, truncated, info = vector.step(vector.action_space.sample())
            if (terminated | truncated).any():
                return info, terminated | truncated
        raise AssertionError("nothing ended")

    for info, ended in (first_end(ours), first_end(theirs)):
        assert {"final_obs", "_final_obs", "final_info", "_final_info"} <= set(info)
        np.testing.assert_array_equal(info["_final_obs"], ended)
        np.testing.assert_array_equal(info["_final_info"], ended)
        assert info["final_obs"].dtype == object
        for last, done in zip(info["final_obs"], ended):
            assert (last is not None) == done
            assert not done or last.shape == vector_shape(ours)


def vector_shape(vector: Any) -> tuple[int, ...]:
    return tuple(vector.single_observation_space.shape)


def test_wrappers_of_gymnasium_work() -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    vector = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymnasium.make_vec("bellcrank/Hopper-v0", num_envs=4))
    vector.reset(seed=0)
    episodes = 0
    for _ in range(300):
        *_, info = vector.step(vector.action_space.sample())
        episodes += int("episode" in info)
    assert episodes > 0


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP"])
def test_a_vector_environment_does_what_gymnasiums_own_does(mode: str) -> None:
    # world 0 of a seed is the same alone and among others; its second episode too
    gymnasium: Any = pytest.importorskip("gymnasium")
    autoreset = gymnasium.vector.AutoresetMode[mode]
    ours = gymnasium.make_vec("bellcrank/Hopper-v0", num_envs=1, autoreset_mode=autoreset)
    single = [lambda: gymnasium.make("bellcrank/Hopper-v0")]
    theirs = gymnasium.vector.SyncVectorEnv(single, autoreset_mode=autoreset)
    np.testing.assert_array_equal(ours.reset(seed=4)[0], theirs.reset(seed=4)[0])
    ours.action_space.seed(0)
    ended = 0
    for _ in range(300):
        action = ours.action_space.sample()
        mine, other = ours.step(action), theirs.step(action)
        for a, b in zip(mine[:4], other[:4]):
            np.testing.assert_array_equal(a, b)
        ended += int((mine[2] | mine[3]).any())
    assert ended > 1


def test_gymnasiums_normalising_wrappers_work() -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    vector = gymnasium.make_vec("bellcrank/Hopper-v0", num_envs=16)
    vector = gymnasium.wrappers.vector.NormalizeObservation(vector)
    vector = gymnasium.wrappers.vector.NormalizeReward(vector)
    vector.reset(seed=0)
    rows = [vector.step(vector.action_space.sample())[0] for _ in range(300)]
    late = np.concatenate(rows[200:])
    assert np.isfinite(late).all()
    # of the distribution that the running mean and variance came from: 0 and 1, within what 300 steps of sixteen
    # hoppers that fall every few steps can tell
    assert (np.abs(late.mean(axis=0)) < 0.5).all()
    assert (late.std(axis=0) < 2.0).all()


def test_windows_are_refused_with_the_way_out() -> None:
    gymnasium: Any = pytest.importorskip("gymnasium")
    from bellcrank.envs.gymnasium import SingleEnv, VectorEnv

    for make in (VectorEnv, SingleEnv):
        with pytest.raises(errors.WrongValue, match=r"(?s)rgb_array.*view\(\)"):
            make("ant", render_mode="human")
    with pytest.raises(errors.WrongValue, match="next_step"):
        VectorEnv("ant", autoreset_mode="never")
    assert gymnasium


def test_episodes_begin_in_safe_random_poses_when_told() -> None:
    def knees(random_poses: int) -> NDArray[np.float64]:
        env = envs.make("biped_walk", 64, threads=1, precision="f64", random_poses=random_poses)
        return np.array(env.batch.joint_position[:, env.model.position_slice("left_inner_knee").start])

    own, drawn = knees(0), knees(200)
    # the task's own starts scatter around standing, drawn poses over what loops leave of the joint's range: more than
    # twice as far, where 64 draws tell a deviation to 1/√128, a tenth
    assert drawn.std() > 2 * own.std() and len(np.unique(drawn.round(9))) > 32
    assert (knees(200) == drawn).all()


def test_gymnasium_makes_worlds_that_begin_in_safe_random_poses() -> None:
    import gymnasium

    ours = envs.make("biped_walk", 8, threads=1, random_poses=50)
    vector: Any = gymnasium.make_vec("bellcrank/BipedWalk-v0", num_envs=8, threads=1, random_poses=50)
    assert np.array_equal(vector.reset(seed=3)[0], ours.reset(3))
    usual = gymnasium.make_vec("bellcrank/BipedWalk-v0", num_envs=8, threads=1)
    assert not np.array_equal(usual.reset(seed=3)[0], ours.reset(3))
    single: Any = gymnasium.make("bellcrank/BipedWalk-v0", random_poses=50)
    alone = envs.make("biped_walk", 1, threads=1, random_poses=50, autoreset=False)
    assert np.array_equal(single.reset(seed=3)[0], alone.reset(3)[0])


def test_random_poses_are_refused_where_there_are_none() -> None:
    with pytest.raises(errors.WrongValue, match="no motor holds"):
        envs.make("cartpole_swing_up", 2, random_poses=8)
    with pytest.raises(errors.WrongValue):
        envs.make("biped_walk", 2, random_poses=-1)
