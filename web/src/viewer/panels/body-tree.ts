/** The bodies of a model as a tree: a chosen one is outlined, and its mass and place are told. */
import { viewerLimits } from '../limits.ts'
import type { PoseFrame } from '../protocol.ts'
import type { ShownModel } from '../viewer-state.ts'
import { element, told, unlisted } from './element.ts'

export interface BodyTree {
  readonly node: HTMLElement
  /** What the chosen body is, over the picture; hidden where none is chosen. */
  readonly place: HTMLElement
  show(selected: number | null, frame: PoseFrame): void
}

/** `onSelect`: null where the chosen one was chosen again. */
export function bodyTree({ opened, jointsOf }: ShownModel, onSelect: (body: number | null) => void): BodyTree {
  const place = element('output', { class: 'viewer-place', 'aria-label': 'Place of the chosen body' })
  let chosen: number | null = null
  const buttons = opened.bodies.slice(0, viewerLimits.rows + 1).map(({ name }, body) => {
    const joints = jointsOf[body] ?? []
    const title = joints.length === 0 ? 'fixed to its parent' : `joints: ${joints.join(', ')}`
    const button = element('button', { type: 'button', 'aria-pressed': 'false', title }, name)
    button.addEventListener('click', () => onSelect(chosen === body ? null : body))
    return button
  })
  const below = (parent: number): HTMLElement[] =>
    buttons.flatMap((button, body) => {
      if (body === 0 || opened.bodies[body]?.parent !== parent) return []
      const inner = below(body)
      return [element('li', {}, button, ...(inner.length === 0 ? [] : [element('ul', {}, ...inner)]))]
    })
  const top = element('ul', { class: 'viewer-bodies', 'aria-label': 'Bodies' }, ...below(0))
  return {
    node: element(
      'div',
      {},
      element('p', {}, 'Choose one here, or click it in the picture.'),
      top,
      ...unlisted(opened.bodies.length - 1),
    ),
    place,
    show(selected, frame) {
      if (selected !== chosen) {
        for (const [body, button] of buttons.entries()) button.setAttribute('aria-pressed', String(body === selected))
        chosen = selected
      }
      place.hidden = selected === null
      if (selected === null) return
      const at = (axis: number) => told(frame.bodies[7 * selected + axis] ?? 0)
      const { name, mass } = opened.bodies[selected] ?? { name: '', mass: 0 }
      const joints = (jointsOf[selected] ?? []).join(', ') || 'no joint'
      const weight = mass >= 1 ? `${told(mass)} kg` : `${told(1000 * mass)} g`
      place.textContent = `${name} · ${weight} · ${joints}\nx ${at(0)}, y ${at(1)}, z ${at(2)} m`
    },
  }
}
