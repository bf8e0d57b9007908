/** Makes a request that fails smaller, part by part, as long as it fails in the same way. */
import type { Made } from './send.ts'

const MOST_TRIES = 60

/** `faultOf` sends it and says what is wrong, in one word and more; null where nothing is. */
export async function reduced(
  made: Made,
  fault: string,
  faultOf: (made: Made) => Promise<string | null>,
): Promise<Made> {
  let smallest = made
  let tries = 0
  let isSmaller = true
  while (isSmaller && tries < MOST_TRIES) {
    isSmaller = false
    for (const candidate of smallerOnes(smallest)) {
      if (++tries > MOST_TRIES) break
      if ((await faultOf(candidate)) !== fault) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

function* smallerOnes(made: Made): Generator<Made> {
  for (const at of made.query.keys()) yield { ...made, query: made.query.filter((_, index) => index !== at) }
  for (const name of Object.keys(made.headers)) {
    if (name === 'content-type' || name === 'authorization') continue
    const { [name]: _, ...headers } = made.headers
    yield { ...made, headers }
  }
  if (typeof made.body !== 'string') return
  let json: unknown
  try {
    json = JSON.parse(made.body)
  } catch {
    return
  }
  for (const smaller of smallerJson(json)) yield { ...made, body: JSON.stringify(smaller) }
}

function* smallerJson(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    if (value.length > 1) yield value.slice(0, 1)
    for (const [at, item] of value.slice(0, 20).entries()) {
      yield value.filter((_, index) => index !== at)
      for (const inner of smallerJson(item)) yield value.with(at, inner)
    }
    return
  }
  for (const [name, item] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    for (const inner of smallerJson(item))
      yield Object.fromEntries(Object.entries(value).map(([other, old]) => [other, other === name ? inner : old]))
  }
}
