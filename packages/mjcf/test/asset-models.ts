/** Models of assets and little else. */
import { greyPng, tetrahedron } from './generator/asset-bytes.ts'

/** A file of each kind that MuJoCo reads. */
export const stl = tetrahedron()
export const png = greyPng(2, 2)
export const obj = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'
export const heights = new Uint8Array(Int32Array.of(2, 2, 0, 0, 0, 0).buffer)

/** A model of those assets and nothing else but a geom. */
export const main = (assets: string, settings = '', world = '<geom size=".1"/>') =>
  `<mujoco model="m">${settings}<asset>${assets}</asset><worldbody>${world}</worldbody></mujoco>`
export const mesh = (file: string, more = '') => `<mesh name="m" file="${file}" ${more}/>`
export const image = (attributes: string) => `<texture name="t" type="2d" ${attributes}/>`
export const field = (file: string, more = '') => `<hfield name="h" size="1 1 1 1" file="${file}" ${more}/>`
export const cloth = (file: string, more = 'type="mesh" dim="2"') =>
  `<body name="b"><flexcomp name="f" file="${file}" radius=".01" rigid="true" ${more}/></body>`
