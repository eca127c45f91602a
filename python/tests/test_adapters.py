"""Other libraries learn on our worlds: what they are told is what our own interface tells, and they take a few steps.

The packages are not installed by default: ``BELLCRANK_PYTHON_EXTRAS="torch stable-baselines3 rsl-rl-lib skrl"``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bellcrank import errors
from bellcrank.envs import BatchedEnv


def same_as_ours(seen: Any, rewards: Any, ended: Any, done: Any) -> None:
    np.testing.assert_array_equal(np.asarray(seen), done.observations)
    np.testing.assert_array_equal(np.asarray(rewards).reshape(-1), done.rewards)
    np.testing.assert_array_equal(np.asarray(ended).reshape(-1), done.terminated | done.truncated)


def test_stable_baselines3_learns() -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize

    from bellcrank.envs.stable_baselines3 import VecEnv

    vec = VecEnv("hopper", 8)
    vec.seed(3)
    ours = BatchedEnv("hopper", 8)
    np.testing.assert_array_equal(vec.reset(), ours.reset(seed=3))
    random, ended = np.random.default_rng(0), 0
    for _ in range(120):
        actions = random.uniform(-1, 1, (8, 2)).astype(np.float32)
        done = ours.step(actions)
        seen, rewards, over, infos = vec.step(actions)
        same_as_ours(seen, rewards, over, done)
        for world in np.flatnonzero(over):
            ended += 1
            np.testing.assert_array_equal(infos[world]["terminal_observation"], done.final_observations[world])
            assert infos[world]["TimeLimit.truncated"] == bool(done.truncated[world])
            assert infos[world]["episode"]["l"] > 0
    assert ended > 3
    assert vec.get_attr("task") == ["hopper"] * 8
    vec.set_attr("note", 1)
    assert vec.get_attr("note", [0, 1]) == [1, 1]
    assert vec.env_method("reset")[0].shape == (8, 14)
    assert vec.env_is_wrapped(VecNormalize) == [False] * 8
    learner = PPO("MlpPolicy", VecNormalize(vec), n_steps=16, batch_size=64, n_epochs=1, device="cpu")
    learner.learn(256)
    assert learner.num_timesteps >= 256
    vec.close()
    with pytest.raises(errors.WrongValue, match="same step"):
        VecEnv(BatchedEnv("hopper", autoreset=False))


def test_rsl_rl_learns() -> None:
    pytest.importorskip("rsl_rl")
    torch: Any = pytest.importorskip("torch")
    from rsl_rl.runners import OnPolicyRunner

    from bellcrank.envs.rsl_rl import VecEnv

    env = VecEnv("hopper", 8)
    ours = BatchedEnv("hopper", 8)
    first, _ = env.reset()
    np.testing.assert_array_equal(first["policy"].numpy(), ours.reset())
    for _ in range(40):
        actions = torch.rand(8, 2) * 2 - 1
        seen, rewards, ended, extras = env.step(actions)
        done = ours.step(actions.numpy())
        same_as_ours(seen["policy"], rewards, ended.bool(), done)
        np.testing.assert_array_equal(extras["time_outs"].numpy(), done.truncated)
    assert set(extras["log"]) == {"/reward/reward"}
    model = {"class_name": "MLPModel", "hidden_dims": [16], "activation": "elu", "obs_normalization": True}
    config: dict[str, Any] = {
        "num_steps_per_env": 8,
        "save_interval": 100,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 1, "num_mini_batches": 2},
        "actor": {**model, "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 0.5}},
        "critic": dict(model),
    }
    runner = OnPolicyRunner(env, config, log_dir=None, device="cpu")
    runner.learn(2, init_at_random_ep_len=True)
    assert runner.current_learning_iteration == 1
    with pytest.raises(errors.WrongValue, match="same step"):
        VecEnv(BatchedEnv("hopper", autoreset=False))


def test_skrl_learns() -> None:
    pytest.importorskip("skrl")
    torch: Any = pytest.importorskip("torch")
    from skrl.trainers.torch import SequentialTrainer

    from bellcrank.envs.skrl import Wrapper

    env = Wrapper("hopper", 8)
    ours = BatchedEnv("hopper", 8)
    np.testing.assert_array_equal(env.reset()[0].cpu().numpy(), ours.reset())
    for _ in range(40):
        actions = torch.rand(8, 2) * 2 - 1
        seen, rewards, terminated, truncated, info = env.step(actions)
        done = ours.step(actions.numpy())
        same_as_ours(seen.cpu(), rewards.cpu(), (terminated | truncated).cpu(), done)
        np.testing.assert_array_equal(info["final_observation"].cpu().numpy(), done.final_observations)
    assert (env.num_envs, env.num_agents, env.state_space) == (8, 1, None)
    settings = {"timesteps": 32, "headless": True, "close_environment_at_exit": False}
    trainer = SequentialTrainer(env=env, agents=skrl_agent(env), cfg=settings)
    trainer.train()
    env.close()
    with pytest.raises(errors.WrongValue, match="same step"):
        Wrapper(BatchedEnv("hopper", autoreset=False))


def skrl_agent(env: Any) -> Any:
    """A small PPO agent of skrl's."""
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from torch import nn, zeros

    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}

    class Actor(GaussianMixin, Model):
        def __init__(self) -> None:
            Model.__init__(self, **spaces)
            GaussianMixin.__init__(self)
            self.net = nn.Sequential(nn.Linear(self.num_observations, 16), nn.ELU(), nn.Linear(16, self.num_actions))
            self.log_std = nn.Parameter(zeros(self.num_actions))

        def compute(self, inputs: Any, role: str = "") -> Any:
            return self.net(inputs["observations"]), {"log_std": self.log_std}

    class Critic(DeterministicMixin, Model):
        def __init__(self) -> None:
            Model.__init__(self, **spaces)
            DeterministicMixin.__init__(self)
            self.net = nn.Sequential(nn.Linear(self.num_observations, 16), nn.ELU(), nn.Linear(16, 1))

        def compute(self, inputs: Any, role: str = "") -> Any:
            return self.net(inputs["observations"]), {}

    models = {"policy": Actor(), "value": Critic()}
    config = PPO_CFG(rollouts=8, learning_epochs=1, mini_batches=2)
    memory = RandomMemory(memory_size=8, num_envs=env.num_envs, device=env.device)
    settings: dict[str, Any] = {"observation_space": env.observation_space, "action_space": env.action_space}
    return PPO(models=models, memory=memory, cfg=config, device=env.device, **settings)
