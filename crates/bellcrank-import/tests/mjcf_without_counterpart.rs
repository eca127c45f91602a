//! What MJCF can say and rigid robots do not need: it is listed, and the rest of the file loads.

use bellcrank_import::{Format, Options, loads};
use bellcrank_model::Model;

fn read(sections: &str, inside: &str) -> Model {
    let text = format!(
        "<mujoco>{sections}<worldbody><body name='a'><freejoint/><geom name='g' size='.1'/><site name='s'/>{inside}</body>
           <body name='b' pos='1 0 0'><joint name='j'/><geom size='.1'/><site name='t'/></body></worldbody></mujoco>"
    );
    loads(&text, Format::Mjcf, &Options::new()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn everything_without_counterpart_is_listed_and_the_rest_loads() {
    let cases = [
        ("<extension><plugin plugin='mujoco.pid'><instance name='i'/></plugin></extension>", "", "plugins"),
        (
            "<custom><numeric name='n' data='1'/><text name='x' data='y'/><tuple name='u'/></custom>",
            "",
            "custom",
        ),
        ("<deformable><skin name='k' file='k.skn'/><flex name='f'/></deformable>", "", "soft bodies"),
        ("<visual><map znear='.1'/></visual><statistic extent='1'/>", "", "looks"),
        (
            "",
            "<composite type='cable' count='9 1 1' size='1' curve='s'><geom type='capsule'/></composite>",
            "ropes",
        ),
        ("", "<flexcomp type='grid' count='3 3 1' name='c'><contact/></flexcomp>", "ropes"),
        ("", "<plugin plugin='mujoco.elasticity.cable'/>", "plugins"),
        ("", "<camera name='c' mode='track'/><light dir='0 0 1'/>", "looks"),
        (
            "<tendon><spatial name='w'><site site='s'/><site site='t'/></spatial></tendon><equality><tendon tendon1='w'/></equality>",
            "",
            "run through space is not held",
        ),
        ("<actuator><muscle site='s'/></actuator>", "", "muscle without lengthrange"),
        ("<actuator><adhesion body='world' ctrlrange='0 1'/></actuator>", "", "sticky"),
        ("<actuator><pid joint='j' kp='1'/></actuator>", "", "counterpart"),
        ("<actuator><motor joint='j' delay='.1' nsample='9'/></actuator>", "", "delay"),
        ("<actuator><motor cranksite='s' slidersite='t' cranklength='.1'/></actuator>", "", "slider-crank"),
        ("<actuator><plugin joint='j' plugin='mujoco.pid'/></actuator>", "", "counterpart"),
        ("<sensor><camprojection site='s' camera='c'/><user dim='3'/></sensor>", "", "camprojection"),
        ("<sensor><insidesite objtype='body' objname='b' site='s'/></sensor>", "", "insidesite"),
        ("<equality><flex flex='f'/></equality>", "", "soft bodies"),
        (
            "<asset><hfield name='h' file='hills.png' size='1 1 1 1'/></asset>",
            "<geom type='hfield' hfield='h' mass='1'/>",
            "is not there",
        ),
        (
            "<asset><mesh name='m' builtin='wedge' params='1 1'/></asset>",
            "<geom type='mesh' mesh='m' mass='0'/>",
            "builtin",
        ),
        ("<keyframe><key act='1 2' mpos='1 2 3'/></keyframe>", "", "states of 0 actuators"),
    ];
    for (sections, inside, word) in cases {
        let model = read(sections, inside);
        let listed: Vec<&str> = model.ignored().iter().map(|i| i.why.as_str()).collect();
        assert!(listed.iter().any(|why| why.contains(word)), "{sections}{inside}: {listed:#?}");
        assert_eq!(model.bodies().len(), 2, "{sections}{inside}");
    }
}
