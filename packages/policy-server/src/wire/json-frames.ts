/** Text frames: JSON objects whose arrays are nested lists. */
import { isJsonObject } from '@hub/formats/exact-json'
import { FrameFault } from './frame-fault.ts'
import type { Tensor } from './tensors.ts'

/** Throws a `FrameFault` unless the text is a JSON object. */
export function readJsonFrame(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new FrameFault('The frame is not JSON.')
  }
  if (!isJsonObject(value)) throw new FrameFault('The frame is not a JSON object.')
  return value
}

/** What is not finite becomes null, as JSON has no other word for it; integers of 64 bits become numbers. */
export function writeJsonFrame(tensors: Readonly<Record<string, Tensor>>, others: object): string {
  const lists = Object.entries(tensors).map(([name, { data, dims, type }]) => {
    const plain = Array.from<number | bigint, number | boolean>(data, (element) =>
      type === 'bool' ? Boolean(element) : Number(element),
    )
    return [name, rows(plain, dims)]
  })
  return JSON.stringify({ ...Object.fromEntries(lists), ...others })
}

function rows(flat: readonly unknown[], dims: readonly number[]): unknown {
  if (dims.length === 0) return flat[0]
  let level: readonly unknown[] = flat
  for (const size of dims.slice(1).reverse()) {
    const groups = size === 0 ? 0 : level.length / size
    level = Array.from({ length: groups }, (_, index) => level.slice(index * size, (index + 1) * size))
  }
  return level
}
