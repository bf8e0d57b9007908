/** The canvas of a viewer: its size, its pointer, its keys, and whether it is seen. */

export interface StageListener {
  resize(width: number, height: number): void
  see(isSeen: boolean): void
  /** From -1 to 1 to the right and up, and CSS pixels in the canvas; null where the pointer left it. */
  point(place: { readonly x: number; readonly y: number; readonly left: number; readonly top: number } | null): void
  /** Turned by keys: angles in radians, and a factor of the distance. */
  turn(around: number, up: number, distance: number): void
  resetView(): void
  /** Clicked or tapped, without a turn of the view: from -1 to 1 to the right and up. */
  choose(x: number, y: number): void
}

/** Radians of one press of an arrow. */
const TURN = 0.12
const NEARER = 0.87

/** CSS pixels that a click may move. */
const STILL = 4

type Turned = readonly [around: number, up: number, distance: number]

const turns: ReadonlyMap<string, Turned> = new Map<string, Turned>([
  ['ArrowLeft', [-TURN, 0, 1]],
  ['ArrowRight', [TURN, 0, 1]],
  ['ArrowUp', [0, TURN, 1]],
  ['ArrowDown', [0, -TURN, 1]],
  ['+', [0, 0, NEARER]],
  ['=', [0, 0, NEARER]],
  ['-', [0, 0, 1 / NEARER]],
])

/** Listens until the returned function is called. */
export function listenTo(canvas: HTMLCanvasElement, listener: StageListener): () => void {
  const ended = new AbortController()
  const { signal } = ended
  const sizes = new ResizeObserver(() => listener.resize(canvas.clientWidth, canvas.clientHeight))
  sizes.observe(canvas)
  let inView = true
  const see = () => listener.see(inView && document.visibilityState === 'visible')
  const views = new IntersectionObserver((entries) => {
    inView = entries.at(-1)?.isIntersecting ?? true
    see()
  })
  views.observe(canvas)
  document.addEventListener('visibilitychange', see, { signal })
  const placeOf = (event: PointerEvent) => {
    const [width, height] = [Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight)]
    return { x: (2 * event.offsetX) / width - 1, y: 1 - (2 * event.offsetY) / height }
  }
  let pressed: { readonly id: number; readonly left: number; readonly top: number } | null = null
  canvas.addEventListener(
    'pointerdown',
    ({ pointerId, offsetX, offsetY, isPrimary, button }) => {
      pressed = isPrimary && button === 0 ? { id: pointerId, left: offsetX, top: offsetY } : null
    },
    { signal },
  )
  canvas.addEventListener(
    'pointerup',
    (event) => {
      const from = pressed
      pressed = null
      if (from?.id !== event.pointerId) return
      if (Math.hypot(event.offsetX - from.left, event.offsetY - from.top) > STILL) return
      const { x, y } = placeOf(event)
      listener.choose(x, y)
    },
    { signal },
  )
  canvas.addEventListener(
    'pointermove',
    (event) => {
      // A drag turns the view; a finger points at nothing.
      if (event.buttons !== 0 || event.pointerType === 'touch') return listener.point(null)
      listener.point({ ...placeOf(event), left: event.offsetX, top: event.offsetY })
    },
    { signal },
  )
  canvas.addEventListener('pointerleave', () => listener.point(null), { signal })
  canvas.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const turned = turns.get(event.key)
      if (turned) listener.turn(...turned)
      else if (event.key === 'Home' || event.key === '0') listener.resetView()
      else return
      event.preventDefault()
    },
    { signal },
  )
  return () => {
    ended.abort()
    sizes.disconnect()
    views.disconnect()
  }
}
