"""What rays hit."""

from __future__ import annotations

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import errors


def ball_over_floor() -> bc.Model:
    b = bc.ModelBuilder("ball")
    b.shape("floor", bc.WORLD, "plane")
    b.body("ball", position=(0, 0, 2), mass=1.0, sphere=0.5)
    b.shape("skin", "ball", "sphere", radius=0.5)
    return b.build()


def test_one_ray_in_one_world_meets_the_ball() -> None:
    # from 5 m down onto a ball of 0.5 m around 2 m: 5 − 2.5 = 2.5 m
    batch = bc.Batch(ball_over_floor(), worlds=2)
    hit = batch.ray_cast((0, 0, 5), (0, 0, -3), worlds=0)
    assert isinstance(hit, bc.RayHits)
    assert hit.distance.shape == hit.shape.shape == ()
    np.testing.assert_allclose(hit.distance, 2.5, atol=1e-9)
    assert batch.model.shape_names[int(hit.shape)] == "skin"
    np.testing.assert_allclose(hit.point, [0, 0, 2.5], atol=1e-9)
    np.testing.assert_allclose(hit.normal, [0, 0, 1], atol=1e-9)


def test_many_rays_in_many_worlds() -> None:
    batch = bc.Batch(ball_over_floor(), worlds=3)
    batch.body_position[1, 0] = (0, 0, 3)
    batch.body_position[2, 0] = (9, 0, 2)
    origins = np.array([[0.0, 0, 5], [1, 0, 5], [0, 0, 5]])
    directions = np.array([[0.0, 0, -1], [0, 0, -1], [0, 0, 1]])
    hits = batch.ray_cast(origins, directions)
    assert hits.distance.shape == (3, 3)
    assert hits.point.shape == hits.normal.shape == (3, 3, 3)
    # onto the ball (or past it, in the last world), onto the floor, into the sky
    np.testing.assert_allclose(hits.distance, [[2.5, 5, np.inf], [1.5, 5, np.inf], [5, 5, np.inf]], atol=1e-9)
    assert (hits.shape[:, 2] == -1).all()
    assert np.isnan(hits.point[:, 2]).all()
    each = batch.ray_cast(batch.body_position, (0, 0, -1), worlds=[0, 1, 2], ignore="ball")
    np.testing.assert_allclose(each.distance[:, 0], [2, 3, 2], atol=1e-9)
    assert np.isinf(batch.ray_cast((0, 0, 5), (0, 0, -1), reach=1.0).distance).all()


def test_spread_centres_of_mass_move_no_shape() -> None:
    batch = bc.Batch(ball_over_floor(), worlds=2)
    batch.spread("body_com")[1, 0] = (0, 0, 0.1)
    np.testing.assert_allclose(batch.ray_cast((0, 0, 5), (0, 0, -1)).distance, 2.5, atol=1e-9)


def test_wrong_rays_are_told() -> None:
    batch = bc.Batch(ball_over_floor(), worlds=2)
    with pytest.raises(errors.WrongShape, match="origins"):
        batch.ray_cast((0, 0), (0, 0, -1))
    with pytest.raises(errors.WrongShape, match="shapes"):
        batch.ray_cast(np.zeros((2, 3)), np.ones((3, 3)))
    with pytest.raises(errors.WrongShape, match="2 worlds"):
        batch.ray_cast(np.zeros((3, 1, 3)), np.ones((1, 3)))
    with pytest.raises(errors.NotFinite):
        batch.ray_cast((0, 0, np.nan), (0, 0, -1))
    with pytest.raises(errors.WrongValue, match="direction"):
        batch.ray_cast((0, 0, 5), (0, 0, 0))
    with pytest.raises(errors.WrongValue, match="reach"):
        batch.ray_cast((0, 0, 5), (0, 0, -1), reach=-1.0)
    with pytest.raises(errors.NoSuchName, match='did you mean "ball"'):
        batch.ray_cast((0, 0, 5), (0, 0, -1), ignore="bal")
    with pytest.raises(errors.NoSuchWorld):
        batch.ray_cast((0, 0, 5), (0, 0, -1), worlds=2)
    batch.close()
    with pytest.raises(errors.BatchClosed):
        batch.ray_cast((0, 0, 5), (0, 0, -1))
