"""Everything that Bellcrank raises. Each class is also the built-in exception that one would expect.

An exception that stems from one of the engine's own error values has that value's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


class BellcrankError(Exception):
    """Base of all. ``file``, ``line``, ``element`` and ``hint`` are ``None`` where there is nothing to tell."""

    file: Optional[str] = None
    line: Optional[int] = None
    element: Optional[str] = None
    hint: Optional[str] = None

    def __init__(self, message: str, *, hint: Optional[str] = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        text = str(self.args[0])
        return f"{text}\n  hint: {self.hint}" if self.hint and "hint:" not in text else text


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong and that the author of a model can mend."""

    kind: str
    """The engine's name for this kind of fault, as ``"ZeroAxis"``."""
    text: str
    """What is wrong."""
    file: str
    """The file, or the Python program that built the model."""
    line: int
    """Line number from 1; 0 is the file as a whole."""
    element: str
    """As in ``<joint name="knee">``."""
    hint: str
    """The way out."""


class FaultsError(BellcrankError, ValueError):
    """All faults at once in ``faults``; ``file``, ``line``, ``element`` and ``hint`` are the first one's."""

    faults: tuple[Fault, ...]

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults
        if faults:
            first = faults[0]
            self.file, self.line, self.element, self.hint = first.file, first.line, first.element, first.hint


class LoadError(FaultsError):
    """A file or text, or the model in it, has faults."""


class NoSuchFile(LoadError, FileNotFoundError):
    """There is neither a file nor a shipped mechanism of that name; the hint has the nearest."""


class ModelError(FaultsError):
    """A model made with :class:`bellcrank.ModelBuilder` has faults."""


class WrongShape(BellcrankError, ValueError):
    """An array has another shape than expected."""


class WrongType(BellcrankError, TypeError):
    """A value is of the wrong type, or an option is missing or not known."""


class WrongValue(BellcrankError, ValueError):
    """A value is none of those that are possible."""


class NotFinite(BellcrankError, ValueError):
    """A number is infinite or not a number."""


class NoSuchName(BellcrankError, LookupError):
    """There is no part of that name; the hint has the nearest."""


class NotInstalled(BellcrankError, ImportError):
    """Something needs a package that is not installed; the hint is the extra that brings it."""


class PlanError(BellcrankError, RuntimeError):
    """There is no plan: the plant is frozen, its state is not finite, or no sample can be used. The last plan stays."""


class BatchError(BellcrankError):
    """What a batch refuses."""


class NoWorlds(BatchError, ValueError):
    """A batch needs at least one world."""


class BadTimeStep(BatchError, ValueError):
    """The time step is not a number above zero."""


class NoSuchWorld(BatchError, IndexError):
    """There is no world of that number, or it is of another model than the others named with it."""


class NoSuchPart(BatchError, IndexError):
    """There is no part of that number."""


class NoSuchJoint(BatchError, LookupError):
    """There is no joint of that name with plain coordinates."""


class WrongCount(BatchError, ValueError):
    """Another number of values than expected."""


class OutOfMemory(BatchError, MemoryError):
    """There is not as much memory as so many worlds need."""


class BadSnapshot(BatchError, ValueError):
    """These bytes are no snapshot of this batch."""


class Fastened(BatchError, ValueError):
    """A robot that is fastened to the world cannot be placed elsewhere."""


class BadPose(BatchError, ValueError):
    """A pose is not finite, or its quaternion is zero."""


class MixedModels(BatchError, ValueError):
    """Worlds of different models were named together."""


class BadParameter(BatchError, ValueError):
    """A physical parameter makes no sense."""


class ReadOnly(BatchError, ValueError):
    """The array follows from others and cannot be written."""


class ReadOut(ReadOnly):
    """The array tells about the state or the last step and cannot be written."""


class NoArray(BatchError, LookupError):
    """Only derivatives know the name; there is no array of it."""


class NotAParameter(BatchError, WrongValue):
    """What has one row per world already cannot be spread or drawn."""


class NotForAllRows(BatchError, ValueError):
    """The published method does not know couplings, tendons and motors at sites."""


class NotForInteriorPoint(BatchError, ValueError):
    """A shape bounces, which the interior point does not know."""


class PileInInteriorPoint(BatchError, ValueError):
    """The interior point does not know piles of loose bodies."""


class NotConverged(BatchError, RuntimeError):
    """The step does not converge at the smoothing that was asked for."""


class NotForSolver(BatchError, ValueError):
    """The model has something that the chosen solver does not know."""


class NotOnDevice(BatchError, ValueError):
    """A device is not there, or cannot step this model."""


class NotDifferentiable(BatchError, ValueError):
    """Steps of models whose motors have a state, or that air or water resists, have no derivatives yet."""


class BadKappa(BatchError, WrongValue):
    """The smoothing of contacts is not a number above zero."""


class NotIndependent(BatchError, ValueError):
    """The chosen coordinates do not determine the mechanism."""


class NoDerivative(BatchError, ValueError):
    """Contacts of this kind have no derivative yet."""


class Threads(BatchError, RuntimeError):
    """Threads could not be started."""


class Processor(BatchError, RuntimeError):
    """This processor lacks instructions that this build needs."""


class BatchClosed(BatchError, RuntimeError):
    """The batch was closed."""


class BatchBusy(BatchError, RuntimeError):
    """Another thread is using the batch."""


class ViewError(BellcrankError):
    """What a recording or a viewer refuses."""


class File(ViewError, OSError):
    """A file cannot be read or written."""


class CannotWrite(ViewError, OSError):
    """The file cannot be written."""


class Listen(ViewError, OSError):
    """The viewer cannot listen on that address."""


class Write(ViewError, OSError):
    """A recording cannot be written."""


class BadRecording(ViewError, ValueError):
    """These bytes are no recording."""


class NotAPage(ViewError, ValueError):
    """A recording is an HTML page; films and pictures are not made."""


class HalfWritten(ViewError, OSError):
    """A recording could not be written to its end; what was recorded until then is beside it."""


class Forked(ViewError, RuntimeError):
    """The viewer belongs to the process that this one was forked from."""


class NothingToShow(ViewError, ValueError):
    """No world was chosen."""


class BadRate(ViewError, ValueError):
    """The number of frames per second makes no sense."""


class TreeError(BellcrankError):
    """What a tree operator refuses."""


class WrongSize(TreeError, ValueError):
    """An array does not hold as many numbers as the states need."""


class NotWholeStates(TreeError, ValueError):
    """An array's length is no whole number of states."""


class NoSuchFrame(TreeError, LookupError):
    """The tree has no frame of that name."""


class NoSuchFrameId(TreeError, LookupError):
    """The tree has no frame of that number."""


class EnvError(BellcrankError):
    """What an environment refuses."""


class NoSuchTask(EnvError, LookupError):
    """There is no task of that name."""


class NeedsRobot(EnvError, ValueError):
    """The task is for a robot that does not ship: its file is missing."""


class HasRobot(EnvError, ValueError):
    """The task has a robot of its own and takes no other."""


class OtherRobot(EnvError, ValueError):
    """The robot in the file is not the one that the task is for."""


class NoSuchSetting(EnvError, LookupError):
    """The task has no setting of that name."""


class BadSetting(EnvError, ValueError):
    """A setting of a task is not a finite number."""


class NoCommands(EnvError, ValueError):
    """The task follows no commands."""


class WrongActions(EnvError, ValueError):
    """Another number of actions than expected."""


class BadStarts(EnvError, ValueError):
    """Poses to begin from are not those of all bodies, or not finite."""


class BadAction(EnvError, ValueError):
    """An action is not finite."""


class Elsewhere(EnvError, RuntimeError):
    """An environment that somebody else steps has failed."""


class LearnError(BellcrankError):
    """What learning, or a file of it, refuses."""


class BadConfig(LearnError, ValueError):
    """A config names something unknown, or a value makes no sense."""


class BadFile(LearnError, ValueError):
    """A policy or a checkpoint is cut off, damaged, of another kind, of another version or of another task."""


class CannotRead(LearnError, OSError):
    """A policy, a checkpoint or a curve cannot be read."""


class RunExists(LearnError, FileExistsError):
    """There is a run in that folder already."""


class Diverged(LearnError, RuntimeError):
    """A gradient is not finite any more."""


class WrongObservations(LearnError, ValueError):
    """Observations do not make whole rows."""


class WrongPart(LearnError, ValueError):
    """The arrays of a rollout have other sizes than the learner expects."""


class WrongWorlds(LearnError, ValueError):
    """Rollouts are missing, doubled or out of order."""
