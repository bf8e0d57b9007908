/** The part of the page without a window that draws what the cameras of a model see. */
import { REVISION, WebGLRenderer } from 'three'
import type { OpenSights, SeeSights } from './draw-sights.ts'
import { sightsAt } from './eye-of.ts'
import { rendererName } from './graphics.ts'
import type { CameraFacts } from './scene.ts'
import { decodeScene } from './scene-bytes.ts'
import { type Sights, sightsOf } from './sights.ts'

let open: { readonly sights: Sights; readonly cameras: readonly CameraFacts[] } | null = null

/** See `OpenSights`. */
export const openSights: OpenSights = async (address, cameras) => {
  const answer = await fetch(address)
  const { lighting, ...scene } = decodeScene(new Uint8Array(await answer.arrayBuffer()))
  if (!lighting) throw new Error('The scene has no light.')
  const renderer = new WebGLRenderer()
  open = { sights: sightsOf({ ...scene, lighting }, new Map(), renderer), cameras }
  return `three.js r${REVISION}, ${rendererName(renderer.getContext())}`
}

/** See `SeeSights`. */
export const seeSights: SeeSights = ({ asked, bodies, cameras }) => {
  if (!open) throw new Error('No scene is open.')
  return open.sights.see(bodies, sightsAt(asked, open.cameras, cameras)).map(base64)
}

/** A call takes some ten thousand arguments. */
const CHUNK = 8192

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}
