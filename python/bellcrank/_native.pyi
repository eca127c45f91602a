"""The native part of the package. Use the names in ``bellcrank``; this module may change."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bellcrank._arrays import FloatArray
from bellcrank.models import Exported, Note

__version__: str
DEVICES: list[str]

_Part = Union[str, int]
_Link = Optional[_Part]
_Pose = tuple[ArrayLike, ArrayLike]
_Floats = NDArray[np.float64]

@final
class Model:
    """A mechanism, checked and analysed. Immutable; shared by everything that computes with it."""

    @property
    def body_names(self) -> list[str]:
        """Name of each body."""
    def body_id(self, name: str) -> int:
        """The number of the body of that name."""
    @property
    def joint_names(self) -> list[str]:
        """Name of each joint."""
    def joint_id(self, name: str) -> int:
        """The number of the joint of that name."""
    @property
    def coupling_names(self) -> list[str]:
        """Name of each coupling."""
    def coupling_id(self, name: str) -> int:
        """The number of the coupling of that name."""
    @property
    def tendon_names(self) -> list[str]:
        """Name of each tendon."""
    def tendon_id(self, name: str) -> int:
        """The number of the tendon of that name."""
    @property
    def actuator_names(self) -> list[str]:
        """Name of each actuator."""
    def actuator_id(self, name: str) -> int:
        """The number of the actuator of that name."""
    @property
    def shape_names(self) -> list[str]:
        """Name of each shape."""
    def shape_id(self, name: str) -> int:
        """The number of the shape of that name."""
    @property
    def camera_names(self) -> list[str]:
        """Name of each camera."""
    def camera_id(self, name: str) -> int:
        """The number of the camera of that name."""
    @property
    def site_names(self) -> list[str]:
        """Name of each site."""
    def site_id(self, name: str) -> int:
        """The number of the site of that name."""
    @property
    def sensor_names(self) -> list[str]:
        """Name of each sensor."""
    def sensor_id(self, name: str) -> int:
        """The number of the sensor of that name."""
    @property
    def keyframe_names(self) -> list[str]:
        """Name of each keyframe."""
    def keyframe_id(self, name: str) -> int:
        """The number of the keyframe of that name."""
    @property
    def name(self) -> str:
        """The mechanism's name."""
    @property
    def time_step(self) -> float:
        """The step that suits this model [s]."""
    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
    @property
    def gravity(self) -> _Floats:
        """``(3,)`` acceleration of free fall [m/s²]."""
    @property
    def body_count(self) -> int:
        """Number of bodies."""
    @property
    def joint_count(self) -> int:
        """Number of joints, those that close loops among them."""
    @property
    def actuator_count(self) -> int:
        """Number of motors."""
    @property
    def loop_count(self) -> int:
        """Number of independent loops."""
    @property
    def coordinate_count(self) -> int:
        """Length of all joint coordinates together."""
    @property
    def dof_count(self) -> int:
        """Length of all joint velocities together; loops make many of them dependent, see ``mobility``."""
    @property
    def mobility(self) -> int:
        """Degrees of freedom of the whole mechanism at the reference pose, floating bases included."""
    @property
    def row_count(self) -> int:
        """Constraint rows of all joints and couplings."""
    @property
    def redundant_rows(self) -> int:
        """Constraint rows that follow from the others at the reference pose."""
    @property
    def loops(self) -> list[list[str]]:
        """Each loop by the names of its joints."""
    @property
    def joint_kinds(self) -> list[str]:
        """Kind of each joint, as ``"revolute"``."""
    @property
    def joint_bodies(self) -> list[tuple[Optional[str], Optional[str]]]:
        """Predecessor and successor of each joint; ``None`` is the world."""
    @property
    def actuator_joints(self) -> list[Optional[str]]:
        """The joint that each motor drives; ``None`` for one that pulls a tendon or pushes a site."""
    @property
    def ignored(self) -> list[Note]:
        """What the file says and the engine does not do: file, line, element, why."""
    @property
    def warnings(self) -> list[Note]:
        """What is legal but probably not meant."""
    @property
    def body_mass(self) -> _Floats:
        """``(bodies,)`` [kg]."""
    @property
    def body_com(self) -> _Floats:
        """``(bodies, 3)`` centres of mass in the link frames [m]."""
    @property
    def body_inertia(self) -> _Floats:
        """``(bodies, 3, 3)`` about the centres of mass, in the link frames' axes [kg·m²]."""
    @property
    def body_position(self) -> _Floats:
        """``(bodies, 3)`` centres of mass at the reference pose [m]."""
    @property
    def body_quat_wxyz(self) -> _Floats:
        """``(bodies, 4)`` orientations at the reference pose."""
    @property
    def limits(self) -> _Floats:
        """``(dofs, 2)`` lower and upper bound [rad or m]; infinite for none."""
    @property
    def armature(self) -> _Floats:
        """``(dofs,)`` rotor inertia [kg·m² or kg]."""
    @property
    def damping(self) -> _Floats:
        """``(dofs,)`` viscous damping [N·m·s/rad or N·s/m]."""
    @property
    def joint_friction(self) -> _Floats:
        """``(dofs,)`` dry friction [N·m or N]."""
    @property
    def effort_limit(self) -> _Floats:
        """``(dofs,)`` largest effort [N·m or N]; infinite for none."""
    @property
    def velocity_limit(self) -> _Floats:
        """``(dofs,)`` largest speed [rad/s or m/s]; infinite for none."""
    @property
    def friction(self) -> _Floats:
        """``(shapes,)`` coefficient of sliding friction."""
    @property
    def restitution(self) -> _Floats:
        """``(shapes,)`` coefficient of restitution."""
    def position_slice(self, joint: str) -> slice:
        """Where a joint's coordinates stand in ``batch.joint_position``."""
    def velocity_slice(self, joint: str) -> slice:
        """Where a joint's velocities stand in ``batch.joint_velocity``."""
    def to_urdf(self) -> Exported:
        """The model as URDF text, and what URDF cannot say."""
    def to_mjcf(self) -> Exported:
        """The model as MJCF text, and what MJCF cannot say."""
    def to_usd(self) -> Exported:
        """The model as USD text with UsdPhysics, and what USD cannot say."""

@final
class ModelBuilder:
    """Collects the parts of a mechanism; ``build`` checks them all at once. Parts are named by name or number."""

    def __init__(self, name: str) -> None: ...
    def body(
        self,
        name: str,
        *,
        position: Optional[ArrayLike] = None,
        quat_wxyz: Optional[ArrayLike] = None,
        mass: Optional[float] = None,
        com: Optional[ArrayLike] = None,
        inertia: Optional[ArrayLike] = None,
        box: Optional[ArrayLike] = None,
        sphere: Optional[float] = None,
        cylinder_x: Optional[tuple[float, float]] = None,
        cylinder_y: Optional[tuple[float, float]] = None,
        cylinder_z: Optional[tuple[float, float]] = None,
    ) -> int:
        """Adds a rigid body at a reference pose of its link frame; its inertia follows from ``mass`` [kg] and a solid
        (``box`` edge lengths, ``sphere`` radius, cylinders (radius, length) [m]), or is given: 3 moments or 3×3
        [kg·m²]."""
    def joint(
        self,
        name: str,
        kind: str,
        predecessor: _Link,
        successor: _Link,
        *,
        point: Optional[ArrayLike] = None,
        axis: Optional[ArrayLike] = None,
        position: Optional[ArrayLike] = None,
        quat_wxyz: Optional[ArrayLike] = None,
        predecessor_frame: Optional[_Pose] = None,
        successor_frame: Optional[_Pose] = None,
        pitch: Optional[float] = None,
        limits: Optional[tuple[float, float]] = None,
        armature: Optional[float] = None,
        damping: Optional[float] = None,
        friction: Optional[float] = None,
        spring: Optional[tuple[float, float]] = None,
        effort_limit: Optional[float] = None,
        velocity_limit: Optional[float] = None,
        closes_loop: Optional[bool] = None,
    ) -> int:
        """Adds a joint: ``"revolute"``, ``"prismatic"``, ``"cylindrical"``, ``"universal"``, ``"spherical"``,
        ``"gimbal"``, ``"planar"``, ``"cartesian"``, ``"screw"`` (with ``pitch``), ``"fixed"`` or ``"free"``. Its place
        is ``point`` and ``axis``, or ``position`` and ``quat_wxyz``, in the world at the reference pose, or a frame
        (position, quat_wxyz) in each link frame. Joints that close loops are added like any other."""
    def actuator(
        self,
        name: str,
        joint: Optional[_Part] = None,
        control: str = "position",
        *,
        tendon: Optional[_Part] = None,
        body: Optional[_Part] = None,
        site: Optional[_Part] = None,
        wrench: Optional[ArrayLike] = None,
        reference: Optional[_Part] = None,
        kp: Optional[float] = None,
        kd: Optional[float] = None,
        gain: Optional[float] = None,
        bias: Optional[tuple[float, float, float]] = None,
        dof: Optional[int] = None,
        gear: Optional[float] = None,
        effort_limit: Optional[float] = None,
        control_range: Optional[tuple[float, float]] = None,
        torque_speed: Optional[tuple[float, float]] = None,
        saturation: Optional[float] = None,
        time_constant: Optional[float] = None,
        gains: Optional[tuple[float, float, float]] = None,
        force: Optional[float] = None,
        optimal_length: Optional[float] = None,
        tendon_length: Optional[float] = None,
        activation_times: Optional[tuple[float, float]] = None,
        motor_constant: Optional[float] = None,
        resistance: Optional[float] = None,
    ) -> int:
        """Adds a motor: ``"position"`` (kp, kd), ``"velocity"`` (kd), ``"effort"``, ``"affine"`` (gain, bias: effort =
        gain u + bias · (1, q, q̇)), ``"varying"`` (gains, bias: gains · (1, q, q̇) u + bias · (1, q, q̇)), ``"muscle"``
        (force, optimal_length, tendon_length, activation_times) or ``"voltage"`` (motor_constant, resistance;
        time_constant of the winding). ``time_constant`` of any other filters what it is told.

        It drives a joint, a ``tendon``, or pushes a ``site`` with ``wrench`` (force and moment per unit of effort) in
        the site's axes or those of the site ``reference``, or makes a ``body`` sticky, to which it pulls what touches
        it. ``torque_speed``: stall torque and speed without load, between which the largest effort falls along a line;
        ``saturation``: the largest effort at any speed, else the stall torque."""
    def shape(
        self,
        name: str,
        link: _Link,
        geometry: str,
        *,
        radius: Optional[float] = None,
        half_length: Optional[float] = None,
        half: Optional[ArrayLike] = None,
        radii: Optional[ArrayLike] = None,
        vertices: Optional[Sequence[tuple[float, float, float]]] = None,
        triangles: Optional[Sequence[tuple[int, int, int]]] = None,
        heights: Optional[Sequence[Sequence[float]]] = None,
        size: Optional[tuple[float, float]] = None,
        position: Optional[ArrayLike] = None,
        quat_wxyz: Optional[ArrayLike] = None,
        friction: Optional[float] = None,
        torsional: Optional[float] = None,
        rolling: Optional[float] = None,
        restitution: Optional[float] = None,
        margin: Optional[float] = None,
        gap: Optional[float] = None,
        group: Optional[int] = None,
        mask: Optional[int] = None,
        color: Optional[tuple[float, float, float, float]] = None,
        in_medium: Optional[Sequence[float]] = None,
        visual_only: Optional[bool] = None,
    ) -> int:
        """Adds a solid: ``"plane"``, ``"sphere"``, ``"box"``, ``"capsule"``, ``"cylinder"``, ``"cone"``,
        ``"ellipsoid"``, ``"convex_mesh"``, ``"triangle_mesh"`` or ``"height_field"``.

        ``in_medium``: air and water meet it as an ellipsoid, with these coefficients of blunt, slender and angular
        drag, of Kutta's and of Magnus' lift."""
    def site(
        self,
        name: str,
        link: _Link,
        *,
        position: Optional[ArrayLike] = None,
        quat_wxyz: Optional[ArrayLike] = None,
    ) -> int:
        """Adds a named frame."""
    def camera(
        self,
        name: str,
        link: _Link,
        *,
        eye: Optional[ArrayLike] = None,
        target: Optional[ArrayLike] = None,
        position: Optional[ArrayLike] = None,
        quat_wxyz: Optional[ArrayLike] = None,
        field_of_view: Optional[float] = None,
        mode: Optional[str] = None,
        body: Optional[_Part] = None,
    ) -> int:
        """Adds a camera, for ``batch.render(camera=name)``: from ``eye`` towards ``target`` in the link frame, z up, or
        at a pose, where it looks along -z with y up in the picture.

        ``field_of_view`` [rad] is from the picture's lower edge to its upper. ``mode``: ``"fixed"`` to the link;
        ``"track"``, which goes along without turning, ``"track_center_of_mass"`` with all that hangs on the link;
        ``"target"`` and ``"target_center_of_mass"``, turned towards ``body``."""
    def sensor(
        self,
        name: str,
        kind: str,
        *,
        site: Optional[_Part] = None,
        body: Optional[_Part] = None,
        joint: Optional[_Part] = None,
        radius: Optional[float] = None,
    ) -> int:
        """Adds a measurement: ``"imu"`` (site), ``"frame_pose"`` or ``"frame_velocity"`` (site or body),
        ``"joint_state"`` (joint), ``"contact_force"`` (body) or ``"touch"`` (site, radius)."""
    def coupling(self, name: str, terms: Mapping[Any, float], constant: float = 0.0) -> int:
        """Adds Σ coefficient · coordinate = constant, with coefficients by joint."""
    def tendon(
        self,
        name: str,
        terms: Mapping[Any, float],
        *,
        limits: Optional[tuple[float, float]] = None,
        spring: Optional[tuple[float, float]] = None,
        damping: Optional[float] = None,
        friction: Optional[float] = None,
        armature: Optional[float] = None,
        effort_limit: Optional[float] = None,
    ) -> int:
        """Adds the length Σ coefficient · coordinate, with coefficients by joint, which motors can pull."""
    def keyframe(
        self,
        name: str,
        *,
        joints: Optional[Mapping[Any, ArrayLike]] = None,
        bodies: Optional[Mapping[Any, _Pose]] = None,
        controls: Optional[Mapping[Any, float]] = None,
    ) -> int:
        """Adds a named pose: joint coordinates, poses of link frames, controls."""
    def exclude(self, a: _Part, b: _Part) -> None:
        """These two bodies never touch."""
    def pair(self, a: _Part, b: _Part) -> None:
        """These two shapes may touch whatever their groups and joints say."""
    def gravity(self, gravity: ArrayLike) -> None:
        """Acceleration of free fall [m/s²]."""
    def time_step(self, dt: float) -> None:
        """The step that suits this model [s]."""
    def build(self) -> Model:
        """Checks everything; the builder may be used further. Raises :class:`bellcrank.errors.ModelError`."""

@final
class StepReport:
    """What a call of ``step`` tells about each world; arrays of shape ``(worlds,)``."""

    @property
    def status(self) -> NDArray[np.uint8]:
        """Numbers of :class:`bellcrank.WorldStatus`."""
    @property
    def loop_gap(self) -> _Floats:
        """Largest joint gap over the steps [m]."""
    @property
    def loop_gap_rad(self) -> _Floats:
        """Largest misalignment of a joint over the steps [rad]."""
    @property
    def iterations(self) -> NDArray[np.int64]:
        """Solver iterations of the last step."""
    @property
    def residual(self) -> _Floats:
        """Largest residual over the steps."""
    @property
    def penetration(self) -> _Floats:
        """Deepest penetration over the steps [m]."""
    @property
    def contact_count(self) -> NDArray[np.int64]:
        """Contacts of the last step."""
    @property
    def converged(self) -> NDArray[np.int64]:
        """Steps that met all tolerances."""
    @property
    def frozen_body(self) -> NDArray[np.int64]:
        """The body that stopped being finite, -1 where none did."""
    @property
    def frozen_step(self) -> NDArray[np.int64]:
        """The step, counted from the last reset, in which that happened; -1 where it did not."""
    def status_counts(self) -> dict[str, int]:
        """How many worlds are in which state, by name."""
    def plot(self) -> Any:
        """Draws how all worlds fare with matplotlib, where that is installed; gives its figure, for notebooks."""
    def __len__(self) -> int: ...

@final
class Batch:
    def __init__(
        self,
        models: list[Model],
        dt: float,
        precision: str,
        threads: int,
        settings: dict[str, Any],
        contact_capacity: Optional[int],
        device: str,
    ) -> None: ...
    @property
    def precision(self) -> str: ...
    def warnings(self) -> list[str]: ...
    def shape(self, name: str) -> list[int]: ...
    def read(self, name: str, out: FloatArray) -> None: ...
    def write(self, name: str, values: FloatArray) -> None: ...
    def step(self, count: int) -> StepReport: ...
    def step_jacobian(
        self, worlds: list[int], how: tuple[list[str], Optional[float], bool]
    ) -> tuple[list[tuple[str, list[int]]], _Floats]: ...
    def step_vjp(
        self, worlds: list[int], how: tuple[list[str], Optional[float], bool], cotangents: _Floats
    ) -> tuple[list[tuple[str, list[int]]], _Floats]: ...
    def spread(self, name: str) -> None: ...
    def randomize(self, seed: int, ranges: list[tuple[str, float, float]], worlds: list[int]) -> None: ...
    def assemble(
        self,
        worlds: list[int],
        names: list[str],
        values: list[list[float]],
        moving: tuple[list[str], list[list[float]]],
    ) -> list[bool]: ...
    def reset_to_keyframe(self, worlds: list[int], name: str) -> list[bool]: ...
    def keyframe_fault(self, world: int, name: str) -> Optional[str]: ...
    def momentum(self, worlds: list[int]) -> list[list[float]]: ...
    def sensor(self, worlds: list[int], name: str) -> list[list[float]]: ...
    def transition(self, worlds: list[int], kappa: Optional[float]) -> list[_Floats]: ...
    def transition_names(self, world: int) -> list[str]: ...
    def sensors(self, worlds: list[int], names: list[str]) -> _Floats: ...
    def contacts(self, world: int) -> list[tuple[str, str, float, list[list[float]]]]: ...
    def reset(self, worlds: list[int]) -> None: ...
    def energy(self, worlds: list[int]) -> list[float]: ...
    def snapshot(self) -> bytes: ...
    def restore(self, bytes: bytes, exact: bool) -> None: ...
    def memory_bytes_per_world(self) -> int: ...
    def place(
        self,
        worlds: list[int],
        body: str,
        positions: list[list[float]],
        quats_wxyz: Optional[list[list[float]]],
    ) -> None: ...
    def ray_cast(
        self, worlds: list[int], rays: tuple[FloatArray, FloatArray], reach: float, ignore: Optional[str]
    ) -> tuple[_Floats, NDArray[np.int64], _Floats, _Floats]: ...
    def render(
        self,
        worlds: list[int],
        what: tuple[str, int, int],
        by: tuple[Optional[tuple[list[float], list[float], list[float], float]], Optional[str], Optional[str]],
    ) -> NDArray[Any]: ...
    def film(self, page: bytes, path: Path, size: tuple[int, int], camera: Optional[str]) -> None: ...
    def record(self, frames_per_second: float, worlds: list[int]) -> None: ...
    def finish_recording(self) -> bytes: ...
    def view(self, worlds: list[int], port: int, playing: bool) -> str: ...
    def stop_viewing(self) -> None: ...
    def watchers(self) -> int: ...
    def viewer_turns(self) -> int: ...
    def close(self) -> None: ...
    def is_closed(self) -> bool: ...

@final
class Env:
    def __init__(
        self, task: str, worlds: int, how: tuple[int, str, bool, Optional[str], int], settings: list[tuple[str, float]]
    ) -> None: ...
    def batch(self) -> Batch: ...
    def model(self) -> Model: ...
    @property
    def observation_count(self) -> int: ...
    @property
    def action_count(self) -> int: ...
    @property
    def episode_steps(self) -> int: ...
    @property
    def dt(self) -> float: ...
    @property
    def seconds_per_action(self) -> float: ...
    def reward_term_names(self) -> list[str]:
        """Name of each reward_term."""
    def stagger(self) -> None: ...
    def tell(
        self, commands: list[tuple[int, tuple[float, float, float]]], observations: NDArray[np.float32]
    ) -> None: ...
    def reset(self, seed: Optional[int], observations: NDArray[np.float32]) -> None: ...
    def reset_worlds(self, worlds: list[int], observations: NDArray[np.float32]) -> None: ...
    def step(
        self,
        actions: NDArray[np.float32],
        tables: list[NDArray[np.float32]],
        rewards: NDArray[np.float32],
        ended: list[NDArray[np.bool_]],
    ) -> None: ...

class Policy:
    @staticmethod
    def open(name: str) -> Policy: ...
    @staticmethod
    def from_bytes(content: bytes) -> Policy: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str) -> None: ...
    def export_onnx(self, path: str) -> None: ...
    @property
    def task(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def transitions(self) -> int: ...
    @property
    def ends(self) -> tuple[int, int]: ...
    @property
    def config(self) -> str: ...
    def settings(self) -> list[tuple[str, float]]: ...
    def act(self, seen: NDArray[np.float32]) -> NDArray[np.float32]: ...
    def evaluate(
        self,
        env: Optional[Any],
        episodes: int,
        how: tuple[int, str, int, Optional[str]],
        settings: list[tuple[str, float]],
    ) -> str: ...

class Trainer:
    def __init__(
        self,
        task: str,
        env: Optional[Any],
        config: tuple[str, Optional[int], list[tuple[str, float]], Optional[str]],
        seed: int,
        threads: int,
    ) -> None: ...
    @staticmethod
    def resume(folder: Path, robot: Optional[str], threads: int) -> Trainer: ...
    def tell_tensorboard(self, folder: Path) -> None: ...
    def update(self) -> str: ...
    def recent(self) -> Optional[tuple[float, float, float]]: ...
    def so_far(self) -> tuple[float, int]: ...
    def task(self) -> str: ...
    def policy(self) -> Policy: ...
    def save(self, folder: Path) -> None: ...

class Sampler:
    def __init__(
        self,
        task: str,
        env: Optional[Any],
        config: tuple[str, Optional[int], list[tuple[str, float]], Optional[str]],
        worlds: tuple[int, int],
        seed: int,
        threads: int,
    ) -> None: ...
    def sample(self, policy: bytes, round: int) -> dict[str, Any]: ...
    def snapshot(self) -> Optional[bytes]: ...
    def restore(self, bytes: bytes) -> None: ...

class Learner:
    def __init__(
        self,
        task: str,
        env: Optional[Any],
        config: tuple[str, Optional[int], list[tuple[str, float]], Optional[str]],
        seed: int,
        threads: int,
    ) -> None: ...
    @staticmethod
    def from_files(
        checkpoint: bytes, curve: bytes, robot: Optional[str], threads: int
    ) -> tuple[Learner, list[bytes]]: ...
    def gather(self, parts: list[dict[str, Any]]) -> None: ...
    def learn(self, waited: float) -> str: ...
    def policy_bytes(self) -> bytes: ...
    def policy(self) -> Policy: ...
    def files(self, samplers: Optional[list[bytes]]) -> list[tuple[str, bytes]]: ...
    def recent(self) -> Optional[tuple[float, float, float]]: ...
    def so_far(self) -> tuple[float, int, int]: ...
    def about(self) -> tuple[str, int, int, int]: ...
    def config(self) -> str: ...

def holds_run(folder: Path) -> bool: ...

_Term = tuple[str, list[str], list[list[float]], float]
_Rollouts = tuple[int, float, str, int, dict[str, Any]]
_How = tuple[
    tuple[str, float, float],
    int,
    Optional[int],
    str,
    list[float],
    tuple[Optional[float], bool],
    int,
    list[float],
    int,
]

class Planner:
    def __init__(
        self,
        model: Model,
        worlds: _Rollouts,
        how: _How,
        terms: Optional[tuple[list[_Term], list[_Term]]],
        called: Optional[tuple[Any, list[str]]],
    ) -> None: ...
    def plan(self, plant: Batch, world: int, elapsed: float) -> tuple[list[float], list[int]]: ...
    def set_reference(self, controls: list[float]) -> None: ...
    def set_parameter(self, name: str, row: list[float]) -> None: ...
    def adopt(self, controls: list[float]) -> None: ...
    def sequence(self) -> _Floats: ...
    def costs(self) -> _Floats: ...
    def rest(self) -> None: ...

class Ilqr:
    def __init__(
        self,
        model: Model,
        worlds: _Rollouts,
        how: tuple[int, int, float, Optional[float], float],
        terms: tuple[list[_Term], list[_Term]],
    ) -> None: ...
    def plan(self, plant: Batch, world: int, elapsed: float) -> tuple[list[float], list[int]]: ...
    def adopt(self, controls: list[float]) -> None: ...
    def sequence(self) -> _Floats: ...
    def feedback(self) -> _Floats: ...
    def rest(self) -> None: ...

class Following:
    def __init__(
        self,
        model: Model,
        motion: tuple[float, list[_Floats]],
        names: tuple[str, list[str]],
        worlds: _Rollouts,
        how: _How,
        costs: tuple[list[float], tuple[float, int, float]],
    ) -> None: ...
    def advance(self) -> bool: ...
    def tracked(self) -> tuple[_Floats, _Floats, _Floats, int, bool]: ...
    def replay(self) -> _Floats: ...

_Goals = list[tuple[str, str, list[float], Optional[str], int, float, list[float], bool]]
_Search = tuple[int, int, bool, list[float], int, int]
_Pace = tuple[_Search, float, list[float]]
_Found = tuple[list[float], list[bool], list[float], list[float], list[int]]
_Stepped = tuple[list[float], list[float], list[bool], list[float]]

class Kinematics:
    def __init__(self, model: Model) -> None: ...
    def rest(self) -> list[float]: ...
    def keyframe(self, name: str) -> list[float]: ...
    def solve(self, goals: _Goals, targets: list[float], start: list[float], how: _Search) -> _Found: ...
    def solve_clear(
        self, goals: _Goals, targets: list[float], start: list[float], how: _Search, least: float
    ) -> tuple[_Found, list[float]]: ...
    def step(self, goals: _Goals, targets: list[float], q: list[float], given: _Pace) -> _Stepped: ...
    def step_clear(
        self, goals: _Goals, targets: list[float], q: list[float], given: _Pace, least: float
    ) -> tuple[_Stepped, list[float]]: ...
    def follow(
        self,
        goals: _Goals,
        targets: list[float],
        start: list[float],
        given: tuple[_Search, list[float], list[float]],
    ) -> tuple[list[float], list[float], list[float], list[bool], list[float]]: ...
    def speeds(self) -> list[float]: ...
    def motor_bounds(self, value: float) -> list[float]: ...
    def workspace(self, frame: str, count: int, seed: int) -> tuple[list[float], list[float], str]: ...
    def joint_positions(self, q: list[float]) -> list[float]: ...
    def body_poses(self, q: list[float]) -> list[float]: ...
    def holds(self, q: list[float], threads: int) -> tuple[list[float], list[int]]: ...
    def motor_jacobian(self, q: list[float], frame: str) -> list[float]: ...
    def branch(self, q: list[float]) -> list[int]: ...
    def frame_singular_values(self, q: list[float], frame: str) -> list[float]: ...
    def mechanical_advantage(self, q: list[float], frame: str, along: list[float]) -> tuple[list[str], list[float]]: ...
    def transmission_angle(self, q: list[float], start: str, end: str, about: str) -> float: ...
    def assembly_modes(self, q: list[float], starts: int) -> list[list[float]]: ...
    def tracks_of(
        self, source: Kinematics, q: list[float], pairs: list[tuple[str, str]], scale: float
    ) -> list[float]: ...
    def retarget(
        self,
        tracks: list[tuple[str, bool, bool, list[float]]],
        start: list[float],
        how: list[float],
    ) -> tuple[list[float], list[float], list[float], list[bool], list[bool], list[float]]: ...
    def sample(
        self,
        numbers: list[int],
        draw: tuple[list[str], list[float], list[str], int, int, int],
    ) -> tuple[list[float], list[bool]]: ...

def quantities() -> list[tuple[str, str, bool, bool]]: ...
def quantity_labels(model: Model, name: str) -> list[str]: ...
def tasks_known() -> list[tuple[str, str]]: ...
def unpack_model(bytes: bytes) -> Model: ...
def load(path: str, **options: Any) -> Model: ...
def loads(text: str, format: str, **options: Any) -> Model: ...
def load_builder(path: str, **options: Any) -> ModelBuilder: ...
def loads_builder(text: str, format: str, **options: Any) -> ModelBuilder: ...
def library() -> list[tuple[str, str]]: ...
def tree_describe(model: Model) -> dict[str, Any]: ...
def tree_run(
    model: Model,
    operator: str,
    inputs: list[FloatArray],
    outputs: list[FloatArray],
    options: dict[str, Any],
) -> None: ...
def run_command_line(words: list[str]) -> int: ...
