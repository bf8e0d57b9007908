/** Controls of a toolbar: a list to choose from, a box to tick, a button. */
import { element, freshId } from './element.ts'

export interface Choice {
  readonly node: HTMLElement
  readonly select: HTMLSelectElement
}

/** `options`: value and text of each. */
export function choice(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  onChange: (value: string) => void,
): Choice {
  const id = freshId()
  const select = element('select', { id }, ...options.map(([value, text]) => element('option', { value }, text)))
  select.addEventListener('change', () => onChange(select.value))
  return { select, node: element('span', { class: 'viewer-choice' }, element('label', { for: id }, label), select) }
}

export function tick(label: string, isTicked: boolean, onChange: (isTicked: boolean) => void): HTMLElement {
  const box = element('input', { type: 'checkbox', checked: isTicked })
  box.addEventListener('change', () => onChange(box.checked))
  return element('label', { class: 'viewer-tick' }, box, label)
}

export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'button small' }, label)
  made.addEventListener('click', onClick)
  return made
}
