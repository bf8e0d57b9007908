/**
 * Finds which of a set of keys lie on a path, for many paths. Pure. A key lies on a path if its names occur there
 * consecutively: `sim.dt` lies on `env.sim.dt` and on `env.sim.dt[0]`. The keys become one Aho-Corasick automaton whose
 * letters are names. A path therefore costs one step for each of its names, independent of the number and the
 * similarity of the keys.
 */

export interface KeyMatches {
  /** Indexes of the keys that the path begins with. */
  readonly under: readonly number[]
  /** Indexes of all keys that lie on the path, including those in `under`. */
  readonly onPath: readonly number[]
}

export interface KeyMatcher {
  match(path: string): KeyMatches
  /** Number of names read by all matches: the cost of matching. */
  readonly steps: number
}

/** A state: the names read so far that some key begins with. */
interface State {
  /**
   * The next state by the next piece of the path; in the root, by the bare name, since a key may begin after any dot.
   */
  readonly next: Map<string, State>
  readonly names: number
  /** The longest suffix of these names that is also a prefix of a key. */
  fallback: State | null
  /** The index of the key that is complete in this state. */
  key: number | null
  /** The nearest state down the fallbacks in which a key is complete. */
  shorter: State | null
  /** The number of the last path that visited this state. The visit also reported all states further down `shorter`. */
  seenOn: number
}

const newState = (names: number): State => ({
  next: new Map(),
  names,
  fallback: null,
  key: null,
  shorter: null,
  seenOn: 0,
})

/** No trainer writes longer keys. The limit bounds the automaton, in which each name of a key is a state. */
const MAX_KEY_LENGTH = 1000

/** `keys` must be distinct. A key of more than 1000 characters matches no path. */
export function keyMatcher(keys: readonly string[]): KeyMatcher {
  const root = newState(0)
  for (const [place, key] of keys.entries()) if (key.length <= MAX_KEY_LENGTH) addKey(root, key, place)
  linkFallbacks(root)
  let paths = 0
  let steps = 0
  return {
    match(path) {
      paths += 1
      const under: number[] = []
      const onPath: number[] = []
      let state = root
      let names = 0
      for (const piece of piecesOf(path)) {
        names += 1
        state = stepFrom(root, state, piece)
        for (let at: State | null = state; at && at.seenOn !== paths; at = at.shorter) {
          at.seenOn = paths
          if (at.key === null) continue
          onPath.push(at.key)
          if (at.names === names) under.push(at.key)
        }
      }
      steps += names
      return { under, onPath }
    },
    get steps() {
      return steps
    },
  }
}

function addKey(root: State, key: string, place: number): void {
  let state = root
  for (const piece of piecesOf(key)) {
    let next = state.next.get(piece)
    if (!next) {
      next = newState(state.names + 1)
      state.next.set(piece, next)
    }
    state = next
  }
  state.key = place
}

/** Visits the states level by level, since the fallback of a state has fewer names than the state. */
function linkFallbacks(root: State): void {
  const queue: State[] = [...root.next.values()]
  for (const state of queue) {
    for (const [piece, next] of state.next) {
      next.fallback = stepFrom(root, state.fallback ?? root, piece)
      queue.push(next)
    }
    const { fallback } = state
    state.shorter = fallback?.key === null ? fallback.shorter : fallback
  }
}

function stepFrom(root: State, from: State, piece: string): State {
  let state = from
  while (state !== root) {
    const next = state.next.get(piece)
    if (next) return next
    state = state.fallback ?? root
  }
  // `[0]` continues a name and begins none; the first piece of a path has no dot before it.
  if (piece.startsWith('[')) return root
  return root.next.get(piece.startsWith('.') ? piece.slice(1) : piece) ?? root
}

/** `a.b[0]` is `a`, `.b`, `[0]`: cut before each dot and bracket. */
function* piecesOf(path: string): Generator<string> {
  let from = 0
  for (let at = 0; at < path.length; at += 1) {
    const code = path.charCodeAt(at)
    if (code !== DOT && code !== BRACKET) continue
    yield path.slice(from, at)
    from = at
  }
  yield path.slice(from)
}

const DOT = '.'.charCodeAt(0)
const BRACKET = '['.charCodeAt(0)
