"""Writes robot.usda, robot.usdc and robot.usdz with OpenUSD (package usd-core): python make.py FOLDER"""

import os
import sys

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdUtils


def new(path):
    if os.path.exists(path):
        os.remove(path)
    stage = Usd.Stage.CreateNew(path)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    return stage


def link(stage, name, at, size):
    body = UsdGeom.Xform.Define(stage, f"/robot/{name}")
    body.AddTranslateOp().Set(Gf.Vec3d(*at))
    body.AddOrientOp().Set(Gf.Quatf(0.9238795, 0, 0, 0.3826834))
    UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
    mass = UsdPhysics.MassAPI.Apply(body.GetPrim())
    mass.CreateMassAttr(2.5)
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(0.1, 0.2, 0.25))
    cube = UsdGeom.Cube.Define(stage, f"/robot/{name}/shape")
    cube.CreateSizeAttr(size)
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    cube.CreateDisplayColorAttr([(0.1, 0.2, 0.3)])


def joints(stage):
    hinge = UsdPhysics.RevoluteJoint.Define(stage, "/robot/hinge")
    hinge.CreateBody0Rel().SetTargets(["/robot/base"])
    hinge.CreateBody1Rel().SetTargets(["/robot/arm"])
    hinge.CreateAxisAttr("Y")
    hinge.CreateLowerLimitAttr(-30)
    hinge.CreateUpperLimitAttr(45.5)
    hinge.CreateLocalPos0Attr(Gf.Vec3f(0.15, 0, 0))
    hinge.CreateLocalPos1Attr(Gf.Vec3f(-0.15, 0, 0))
    drive = UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular")
    drive.CreateStiffnessAttr(12.25)
    drive.CreateDampingAttr(1.0)
    anchor = UsdPhysics.FixedJoint.Define(stage, "/robot/anchor")
    anchor.CreateBody1Rel().SetTargets(["/robot/base"])
    anchor.CreateLocalPos0Attr(Gf.Vec3f(0, 0, 0.5))


def mesh(stage, n=12):
    """Lists long enough to be compressed."""
    hull = UsdGeom.Mesh.Define(stage, "/robot/arm/hull")
    hull.CreatePointsAttr([(i * 0.01, k * 0.01, 0.001 * ((i * k) % 7)) for i in range(n) for k in range(n)])
    corners = [
        (i * n + k, (i + 1) * n + k, (i + 1) * n + k + 1, i * n + k + 1) for i in range(n - 1) for k in range(n - 1)
    ]
    hull.CreateFaceVertexIndicesAttr([c for face in corners for c in face])
    hull.CreateFaceVertexCountsAttr([4] * len(corners))


def arcs(stage):
    """A class that is inherited, variants, a reference within the file, data of the user's own."""
    part = stage.CreateClassPrim("/_part")
    part.CreateAttribute("physics:mass", Sdf.ValueTypeNames.Float).Set(0.75)
    tool = UsdGeom.Xform.Define(stage, "/robot/tool")
    tool.GetPrim().GetInherits().AddInherit("/_part")
    UsdPhysics.RigidBodyAPI.Apply(tool.GetPrim())
    tool.AddTranslateOp().Set(Gf.Vec3d(2, 0, 0))
    sizes = tool.GetPrim().GetVariantSets().AddVariantSet("size")
    for name, radius in (("small", 0.1), ("large", 0.4)):
        sizes.AddVariant(name)
        sizes.SetVariantSelection(name)
        with sizes.GetVariantEditContext():
            ball = UsdGeom.Sphere.Define(stage, "/robot/tool/ball")
            ball.CreateRadiusAttr(radius)
            UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    sizes.SetVariantSelection("large")
    copy = stage.DefinePrim("/copy")
    copy.GetReferences().AddInternalReference("/robot/tool")
    UsdGeom.Xformable(copy).ClearXformOpOrder()
    copy.SetCustomDataByKey("note", "a text")
    copy.SetCustomDataByKey("nested:number", 3.5)


def build(path):
    stage = new(path)
    root = UsdGeom.Xform.Define(stage, "/robot")
    stage.SetDefaultPrim(root.GetPrim())
    UsdPhysics.Scene.Define(stage, "/scene").CreateGravityMagnitudeAttr(3.7)
    link(stage, "base", (0, 0, 0.5), 0.2)
    link(stage, "arm", (0.3, 0, 0.5), 0.1)
    joints(stage)
    mesh(stage)
    arcs(stage)
    stage.GetRootLayer().Save()


os.chdir(sys.argv[1])
build("robot.usda")
build("robot.usdc")
top = new("top.usdc")
top.SetDefaultPrim(UsdGeom.Xform.Define(top, "/world").GetPrim())
top.DefinePrim("/world/bot").GetReferences().AddReference("./robot.usdc", "/robot")
top.GetRootLayer().Save()
UsdUtils.CreateNewUsdzPackage("top.usdc", "robot.usdz")
os.remove("top.usdc")
