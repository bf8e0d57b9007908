/** What tests of the graph's edges say often: an answer of `/v1` that must be of a status, and a repo in arguments of the graph. */
import { expect } from 'vitest'
import type { Answer, Json } from '../../support/hub.ts'

export async function ok(answer: Promise<Answer>, status: number): Promise<Json> {
  const { status: got, json } = await answer
  expect([got, json?.errors]).toEqual([status, undefined])
  return json
}

export const named = (full: string) => {
  const [owner = '', slug = ''] = full.split('/')
  return `owner: "${owner}", slug: "${slug}"`
}
