/** What moves the time of a view: play, frame by frame, the time as a slider, speed, and whether it begins again. */
import { button, choice, tick } from '../viewer/panels/choices.ts'
import { element, freshId } from '../viewer/panels/element.ts'

export interface Transport {
  readonly node: HTMLElement
  show(time: number, text: string, isPlaying: boolean): void
}

export interface TransportOptions {
  readonly duration: number
  readonly fps: number
  readonly speed: number
  readonly loop: boolean
  onPlay(): void
  onTime(time: number): void
  onStep(frames: number): void
  onSpeed(speed: number): void
  onLoop(isLoop: boolean): void
}

const speeds = [0.1, 0.25, 0.5, 1, 2, 4]

/** The arrow keys of the slider move by one frame. */
export function transport(options: TransportOptions): Transport {
  const { duration, fps, speed, loop, onPlay, onTime, onStep, onSpeed, onLoop } = options
  const id = freshId()
  const slider = element('input', { id, type: 'range', min: 0, max: duration, step: 1 / fps, value: 0 })
  slider.addEventListener('input', () => onTime(Number(slider.value)))
  const told = element('output', { for: id })
  const play = button('Play', onPlay)
  // A link may have a speed of its own.
  const offered = [...new Set([...speeds, speed])].toSorted((a, b) => a - b)
  const pace = choice(
    'Speed',
    offered.map((one) => [String(one), `×${one}`] as const),
    (value) => onSpeed(Number(value)),
  )
  pace.select.value = String(speed)
  return {
    node: element(
      'div',
      { class: 'episode-transport', role: 'group', 'aria-label': 'Playback' },
      play,
      element('label', { for: id }, 'Time'),
      slider,
      told,
      element(
        'span',
        { class: 'episode-pace' },
        button('Frame back', () => onStep(-1)),
        button('Frame on', () => onStep(1)),
        pace.node,
        tick('Loop', loop, onLoop),
      ),
    ),
    show(time, text, isPlaying) {
      slider.value = String(time)
      slider.setAttribute('aria-valuetext', text)
      told.textContent = text
      play.textContent = isPlaying ? 'Pause' : 'Play'
    },
  }
}
