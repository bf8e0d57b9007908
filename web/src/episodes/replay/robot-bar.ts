/** Which robot an episode is replayed on: its repo, its model file, and what is drawn of the episode. */
import { button, type Choice, choice, tick } from '../../viewer/panels/choices.ts'
import { element, freshId } from '../../viewer/panels/element.ts'

export interface RobotBar {
  readonly node: HTMLElement
  /** Models of the robot that is open; none while there is no robot. */
  models(entries: readonly string[], entry: string): void
  /** What is going on. */
  tell(text: string): void
  /** Why no robot is shown. */
  fail(text: string): void
}

export interface RobotBarOptions {
  readonly robot: string
  readonly ghost: boolean
  readonly differ: number
  /** Names of robots that the person sees. */
  suggest(): Promise<readonly string[]>
  onRobot(name: string): void
  onModel(entry: string): void
  onChoice(part: { readonly ghost: boolean } | { readonly differ: number }): void
}

export function robotBar(options: RobotBarOptions): RobotBar {
  const { robot, ghost, differ, suggest, onRobot, onModel, onChoice } = options
  const [id, listId, differId] = [freshId(), freshId(), freshId()]
  const list = element('datalist', { id: listId })
  const name = element('input', { id, list: listId, value: robot, placeholder: 'owner/robot', autocomplete: 'off' })
  let isAsked = false
  name.addEventListener('focus', () => {
    if (isAsked) return
    isAsked = true
    suggest().then(
      (names) => list.replaceChildren(...names.map((value) => element('option', { value }))),
      // The name can still be written.
      () => undefined,
    )
  })
  const form = element(
    'form',
    { class: 'viewer-choice' },
    element('label', { for: id }, 'Robot'),
    name,
    list,
    submitButton('Show'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    onRobot(name.value.trim())
  })
  const margin = element('input', { id: differId, type: 'number', min: 0, step: 'any', value: differ })
  margin.addEventListener('change', () => {
    const value = Number(margin.value)
    if (value > 0) onChoice({ differ: value })
  })
  const model: Choice = choice('Model', [], onModel)
  const ofRobot = element(
    'span',
    { class: 'episode-steps', hidden: true },
    model.node,
    tick('Action as a second pose', ghost, (isShown) => onChoice({ ghost: isShown })),
    element('span', { class: 'viewer-choice' }, element('label', { for: differId }, 'Mark from'), margin, 'rad or m'),
  )
  const status = element('p', { class: 'episode-note', role: 'status' })
  return {
    node: element(
      'div',
      { class: 'episode-robot-bar' },
      element('div', { class: 'viewer-toolbar', role: 'group', 'aria-label': 'Robot' }, form, ofRobot),
      status,
    ),
    models(entries, entry) {
      ofRobot.hidden = entries.length === 0
      model.node.hidden = entries.length < 2
      model.select.replaceChildren(...entries.map((value) => element('option', { value }, value)))
      model.select.value = entry
    },
    tell(text) {
      status.textContent = text
      delete status.dataset.failed
    },
    fail(text) {
      status.textContent = text
      status.dataset.failed = ''
    },
  }
}

function submitButton(label: string): HTMLButtonElement {
  const made = button(label, () => undefined)
  made.type = 'submit'
  return made
}
