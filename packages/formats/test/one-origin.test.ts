import { describe, expect, it } from 'vitest'
import { isOneOrigin } from '../src/one-origin.ts'

const compare = (one: string, other: string) => isOneOrigin(new URL(one), new URL(other))

describe('two addresses are of one origin', () => {
  it.each([
    ['https://hub.example', 'https://hub.example/auth/device'],
    ['https://hub.example', 'https://HUB.example:443'],
    ['http://hub.example:80', 'http://hub.example'],
    ['http://localhost:4000', 'http://127.0.0.1:4000'],
    ['http://127.0.0.1:4000', 'http://[::1]:4000'],
    ['http://[::1]:4000', 'http://LOCALHOST:4000/x'],
    ['https://localhost', 'https://127.0.0.1:443'],
  ])('%s and %s', (one, other) => {
    expect([compare(one, other), compare(other, one)]).toEqual([true, true])
  })
})

describe('two addresses are not of one origin', () => {
  it.each([
    ['https://hub.example', 'http://hub.example'],
    ['https://hub.example', 'http://hub.example:443'],
    ['https://hub.example', 'https://hub.example:8443'],
    ['https://hub.example', 'https://other.example'],
    ['https://hub.example', 'https://hub.example.other.example'],
    ['https://hub.example', 'https://hub.example@other.example'],
    ['http://localhost:4000', 'http://127.0.0.1:4001'],
    ['http://localhost:4000', 'https://localhost:4000'],
    ['http://127.0.0.1:4000', 'http://127.0.0.2:4000'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1.example:4000'],
    ['http://localhost:4000', 'http://localhost.example:4000'],
  ])('%s and %s', (one, other) => {
    expect([compare(one, other), compare(other, one)]).toEqual([false, false])
  })
})
