/** Frees what a scene has on the graphics card: three.js does so for no object by itself. */
import { BufferGeometry, Light, Material, Mesh, type Object3D, Scene, Texture } from 'three'

/**
 * Geometries, materials and pictures of everything below, shadow maps, and the background. Freeing a shared one twice
 * does nothing.
 */
export function disposeOf(top: Object3D): void {
  top.traverse((object) => {
    if (object instanceof Light) object.dispose()
    if (object instanceof Mesh || 'geometry' in object) freeParts(object as Mesh)
  })
  if (top instanceof Scene && top.background instanceof Texture) top.background.dispose()
}

function freeParts({ geometry, material }: Mesh): void {
  if (geometry instanceof BufferGeometry) geometry.dispose()
  for (const one of [material].flat()) {
    if (!(one instanceof Material)) continue
    const picture = 'map' in one ? one.map : null
    for (const held of [picture, one.userData.picture]) if (held instanceof Texture) held.dispose()
    one.dispose()
  }
}
