"""The arrays of a batch as attributes: made from the engine's table of quantities, see docs/reference/quantities.md."""

from __future__ import annotations

from bellcrank._fields import ArrayField, Fields


class Quantities(Fields):
    """States, controls and read-outs ``(worlds, …)``; parameters in one row for all, or one each after ``spread``."""

    joint_position = ArrayField(
        "``(worlds, coordinates)`` [rad or m]: Joint coordinates, joint after joint. They follow from the bodies: "
        "``assemble`` finds poses for given ones."
    )
    joint_velocity = ArrayField(
        "``(worlds, dofs)`` [rad/s or m/s]: Joint velocities, joint after joint. They follow from the bodies."
    )
    body_position = ArrayField("``(worlds, bodies, 3)`` [m]: Centres of mass in the world.")
    body_quat_wxyz = ArrayField(
        "``(worlds, bodies, 4)``: Orientations of the bodies: of their link frames, and of their frames at the "
        "centres of mass."
    )
    body_velocity = ArrayField(
        "``(worlds, bodies, 6)`` [m/s, rad/s]: Twists of the centres of mass, world axes, linear part first."
    )
    velocity_interval = ArrayField(
        "``(worlds,)`` [steps]: The interval whose velocity ``body_velocity`` is: one after a step, zero where "
        "velocities were written, which are those of the instant. The variational integrator asks for it."
    )
    activation = ArrayField(
        "``(worlds, actuators)`` [unit of the control]: States of motors that have one (first-order filters, "
        "integrators); zero for others."
    )
    target_position = ArrayField(
        "``(worlds, actuators)`` [rad or m]: Targets of position motors; at first those of the reference pose."
    )
    target_velocity = ArrayField(
        "``(worlds, actuators)`` [rad/s or m/s]: Targets of velocity, of position and velocity motors."
    )
    effort = ArrayField(
        "``(worlds, actuators)`` [N·m or N]: Efforts, or feed-forward of motors that hold something, or controls of "
        "affine motors."
    )
    control = ArrayField(
        "``(worlds, actuators)`` [that of what the motor takes]: What each motor listens to: ``target_position`` of "
        "position motors, ``target_velocity`` of velocity motors, ``effort`` of all others. The same numbers as "
        "there, not further ones."
    )
    body_wrench = ArrayField(
        "``(worlds, bodies, 6)`` [N, N·m]: Force and moment from outside at the centres of mass, world axes, until "
        "changed."
    )
    gravity = ArrayField("``(1, 3)`` [m/s²]: Acceleration of free fall.")
    contact_gain = ArrayField(
        '``(1, 2)``: Factors on stiffness and damping of contacts as ``ComFree(variant="published")`` has them.'
    )
    body_mass = ArrayField("``(1, bodies)`` [kg]: Masses.")
    body_com = ArrayField("``(1, bodies, 3)`` [m]: Centres of mass in the link frames.")
    body_inertia = ArrayField(
        "``(1, bodies, 3, 3)`` [kg·m²]: Inertias about the centres of mass, in the link frames' axes."
    )
    friction = ArrayField("``(1, shapes)``: Coefficients of sliding friction.")
    torsional_friction = ArrayField("``(1, shapes)`` [m]: Moment about the normal per normal force.")
    rolling_friction = ArrayField("``(1, shapes)`` [m]: Moment about the tangents per normal force.")
    restitution = ArrayField("``(1, shapes)``: Coefficients of restitution.")
    shape_position = ArrayField("``(1, shapes, 3)`` [m]: Origins of the shapes in the link frames.")
    predecessor_anchor = ArrayField("``(1, joints, 3)`` [m]: Where the joints sit on their predecessors' links.")
    successor_anchor = ArrayField("``(1, joints, 3)`` [m]: Where the joints sit on their successors' links.")
    armature = ArrayField("``(1, dofs)`` [kg·m² or kg]: Rotor inertia, as seen at the joint.")
    damping = ArrayField("``(1, dofs)`` [N·m·s/rad or N·s/m]: Viscous damping.")
    joint_friction = ArrayField("``(1, dofs)`` [N·m or N]: Dry friction of the joints.")
    spring_stiffness = ArrayField(
        "``(1, dofs)`` [N·m/rad or N/m]: Stiffness of the joints' springs; zero where there is none."
    )
    spring_rest = ArrayField("``(1, dofs)`` [rad or m]: Coordinates at which the springs are at rest.")
    limits = ArrayField("``(1, dofs, 2)`` [rad or m]: Lower and upper bound of the coordinates; infinite for none.")
    gain = ArrayField(
        "``(1, actuators)`` [N·m/rad or N/m]: kp of position motors, gain of affine ones; zero where there is none."
    )
    rate_gain = ArrayField("``(1, actuators)`` [N·m·s/rad or N·s/m]: kd of position and velocity motors.")
    gear = ArrayField("``(1, actuators)``: Motor coordinate per joint coordinate.")
    motor_effort_limit = ArrayField("``(1, actuators)`` [N·m or N]: Largest effort of a motor; infinite for none.")
    link_position = ArrayField("``(worlds, bodies, 3)`` [m]: Origins of the link frames in the world.")
    link_quat_wxyz = ArrayField("``(worlds, bodies, 4)``: Orientations of the link frames: those of the bodies.")
    link_velocity = ArrayField(
        "``(worlds, bodies, 6)`` [m/s, rad/s]: Twists of the link frames' origins, world axes, linear part first."
    )
    site_position = ArrayField("``(worlds, sites, 3)`` [m]: Origins of the sites in the world.")
    site_quat_wxyz = ArrayField("``(worlds, sites, 4)``: Orientations of the sites.")
    applied_effort = ArrayField(
        "``(worlds, actuators)`` [N·m or N]: Effort of all motors on each motor's degree of freedom or tendon in the "
        "last step, at the joint or along the tendon."
    )
    joint_reaction = ArrayField(
        "``(worlds, joints, 6)`` [N, N·m]: Force and moment that each joint put on its successor in the last step, "
        "at M's origin in F's axes. Motors, springs, limits and friction are part of it."
    )
    contact_force = ArrayField(
        "``(worlds, bodies, 3)`` [N]: Sum of the contact forces on each body in the last step, world axes."
    )
    body_acceleration = ArrayField(
        "``(worlds, bodies, 6)`` [m/s², rad/s²]: Change of ``body_velocity`` in the last step, per time."
    )
