// Pictures on meshes, decoded by the browser while the page already shows the rest.

import * as THREE from 'three';

export class Pictures {
  /** `loaded` is called whenever a picture has come. */
  constructor(scene, loaded) {
    this.loaded = loaded;
    this.told = scene.pictures ?? [];
    this.made = new Map();
  }

  /** The texture of a number; one white pixel until its picture has come. */
  texture(number) {
    if (!this.made.has(number)) {
      const { png, repeat } = this.told[number];
      const texture = new THREE.Texture(new ImageData(new Uint8ClampedArray([255, 255, 255, 255]), 1, 1));
      Object.assign(texture, { flipY: false, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, colorSpace: THREE.SRGBColorSpace });
      texture.repeat.set(...repeat);
      texture.needsUpdate = true;
      new THREE.ImageLoader().load(`data:image/png;base64,${png}`, (image) => {
        texture.dispose(); // its size changes
        texture.image = image;
        texture.needsUpdate = true;
        this.loaded();
      });
      this.made.set(number, texture);
    }
    return this.made.get(number);
  }
}
