/** The address of a map's page: the version and the robot beside that it shows. */
import { expect, it } from 'vitest'
import { readMapAddress, writtenMapAddress } from '../../../web/src/pages/repos/maps/map-address.ts'

it('keeps what a person chose, and what else is in it', () => {
  const before = new URLSearchParams('x=1&version=3')
  const after = writtenMapAddress(before, { version: 12, body: 'ada/arm' })
  expect(readMapAddress(after)).toEqual({ version: 12, body: 'ada/arm' })
  expect(after.get('x')).toBe('1')
  expect(writtenMapAddress(after, { version: null, body: '' }).toString()).toBe('x=1&body=')
  expect(readMapAddress(new URLSearchParams('body='))).toEqual({ version: null, body: '' })
})

it.each(['', 'version=0', 'version=1.5', 'version=-1', 'version=x', 'body=arm', 'body=a/b/c', 'version=9999999999'])(
  'that is broken shows the newest version and the robot that is named: %s',
  (search) => {
    expect(readMapAddress(new URLSearchParams(search))).toEqual({ version: null, body: null })
  },
)
