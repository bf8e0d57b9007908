/**
 * The page that draws stills: it fetches one scene, draws it in each theme, and answers the pictures. It draws what the
 * cameras of a model see too. It runs in a browser without a window.
 */
import { NeutralToneMapping, PCFShadowMap, PMREMGenerator, WebGLRenderer } from 'three'
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js'
import type { OpenSights, SeeSights } from './draw-sights.ts'
import type { DrawStills } from './draw-stills.ts'
import { decodeScene } from './scene-bytes.ts'
import * as sights from './sight-page.ts'
import { studio } from './studio.ts'
import { themes } from './theme.ts'

declare global {
  var drawStills: DrawStills
  var openSights: OpenSights
  var seeSights: SeeSights
}

globalThis.openSights = sights.openSights
globalThis.seeSights = sights.seeSights
globalThis.drawStills = async (address, width, height) => {
  const answer = await fetch(address)
  const robot = decodeScene(new Uint8Array(await answer.arrayBuffer()))
  const renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true })
  renderer.setSize(width, height)
  renderer.shadowMap.enabled = true
  renderer.shadowMap.type = PCFShadowMap
  renderer.toneMapping = NeutralToneMapping
  const surroundings = new PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture
  const { scene, camera, light } = studio(robot, surroundings, width / height)
  const drawn = (name: keyof typeof themes) => {
    light(themes[name])
    renderer.render(scene, camera)
    return renderer.domElement.toDataURL('image/png')
  }
  return { light: drawn('light'), dark: drawn('dark') }
}
