/** What a policy sees, small, in a corner of the picture of its robot. */
import type { SeenPicture } from '../drive/seen-pictures.ts'
import { element } from './element.ts'

export interface SightStrip {
  readonly node: HTMLElement
  /** Puts pictures in the place of those before. */
  draw(pictures: readonly SeenPicture[]): void
  /** Nothing is seen any more. */
  clear(): void
}

interface Shown {
  readonly key: string
  readonly node: HTMLElement
  readonly context: CanvasRenderingContext2D | null
}

/** `cameraName`: of a camera by its place. */
export function sightStrip(cameraName: (camera: number) => string): SightStrip {
  const node = element('div', {
    class: 'viewer-sights',
    role: 'group',
    'aria-label': 'What the policy sees',
    hidden: true,
  })
  let shown: readonly Shown[] = []
  const clear = () => {
    if (shown.length === 0) return
    shown = []
    node.hidden = true
    node.replaceChildren()
  }
  return {
    node,
    clear,
    draw(pictures) {
      const keys = pictures.map(keyOf)
      if (keys.length !== shown.length || keys.some((key, at) => shown[at]?.key !== key)) {
        shown = pictures.map((picture) => shownOf(picture, cameraName(picture.camera)))
        node.replaceChildren(...shown.map((one) => one.node))
        node.hidden = shown.length === 0
      }
      for (const [at, { pixels, width, height }] of pictures.entries())
        shown[at]?.context?.putImageData(new ImageData(pixels, width, height), 0, 0)
    },
  }
}

const keyOf = ({ name, camera, width, height }: SeenPicture) => `${camera} ${width} ${height} ${name}`

function shownOf(picture: SeenPicture, camera: string): Shown {
  const { name, width, height } = picture
  const label = name === camera ? name : `${name}: ${camera}`
  const canvas = element('canvas', { width, height, role: 'img', 'aria-label': `What the policy sees as ${name}` })
  const node = element('figure', {}, canvas, element('figcaption', {}, `${label} · ${width} × ${height}`))
  return { key: keyOf(picture), node, context: canvas.getContext('2d') }
}
