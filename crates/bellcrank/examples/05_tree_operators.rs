//! Standalone operators on a thousand states. Twin of `examples/05_tree_operators.py`.

use bellcrank::prelude::*;
use bellcrank::tasks::Random;
use bellcrank::tree::TreeModel;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let model = library::double_pendulum().build()?;
    let tree = TreeModel::<f64>::new(&model);
    println!("coordinates: {:?}, frames: {:?}", tree.coordinate_names(), tree.frame_names());
    let n = 1000 * tree.dof_count();
    let mut random = Random::new(0, 0, 0);
    let mut draw = || (0..n).map(|_| random.between(-1.5, 1.5)).collect::<Vec<f64>>();
    let (q, v, a) = (draw(), draw(), draw());

    let (mut tau, mut again) = (vec![0.0; n], vec![0.0; n]);
    tree.batch().rnea(&q, &v, &a, &mut tau)?; // inverse dynamics
    tree.batch().aba(&q, &v, &tau, &mut again)?; // and forward again
    let worst = again.iter().zip(&a).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()));
    println!("inverse and forward dynamics of 1000 states agree to {worst:.1e}");
    assert!(worst < 1e-9);
    Ok(())
}
