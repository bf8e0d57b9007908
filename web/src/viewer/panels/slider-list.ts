/** Sliders for a list of numbers: each with its name, its unit, and the value that it has now. */
import { viewerLimits } from '../limits.ts'
import { element, freshId, told, unlisted } from './element.ts'

export interface Slider {
  readonly label: string
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly step: number
  readonly limited: boolean
}

export interface SliderList {
  readonly node: HTMLElement
  /** Shows values, in the order of the sliders. */
  show(values: readonly number[]): void
}

/** `name`: of what they are, for people who do not see them. `onInput`: a slider, by its place, was moved. */
export function sliderList(
  name: string,
  sliders: readonly Slider[],
  onInput: (place: number, value: number) => void,
): SliderList {
  const rows = sliders.slice(0, viewerLimits.rows).map((slider, place) => {
    const id = freshId()
    const { min, max, step, limited } = slider
    const input = element('input', { id, type: 'range', min, max, step: step > 0 ? step : 'any' })
    const output = element('output', { for: id })
    const unit = slider.unit === '' ? '' : ` ${slider.unit}`
    const range = `${told(min)} to ${told(max)}${unit}`
    const limits = limited ? range : `${range}, not limited`
    input.title = limits
    input.addEventListener('input', () => {
      tell(Number(input.value))
      onInput(place, Number(input.value))
    })
    const degrees = (value: number) =>
      slider.unit === 'rad' && Number.isFinite(value) ? ` · ${Math.round((180 * value) / Math.PI)}°` : ''
    const tell = (value: number) => {
      output.textContent = `${told(value)}${unit}${degrees(value)}`
      input.setAttribute('aria-valuetext', `${told(value)}${unit}`)
    }
    const label = element('label', { for: id, title: slider.label }, slider.label)
    const row = element('li', { class: 'viewer-slider' }, label, output, input)
    let held = false
    input.addEventListener('pointerdown', () => {
      held = true
    })
    for (const end of ['pointerup', 'pointercancel', 'change', 'blur'])
      input.addEventListener(end, () => {
        held = false
      })
    return {
      row,
      show(value: number) {
        tell(value)
        // A slider in a hand stays where the hand is.
        if (!held) input.value = String(value)
      },
    }
  })
  return {
    node: element(
      'div',
      {},
      element('ul', { class: 'viewer-sliders', 'aria-label': name }, ...rows.map(({ row }) => row)),
      ...unlisted(sliders.length),
    ),
    show(values) {
      for (const [place, row] of rows.entries()) row.show(values[place] ?? 0)
    },
  }
}
