/** Caps are counted over the whole model and before anything is copied. */
import { describe, expect, it } from 'vitest'
import { Faults } from '../src/fault.ts'
import { limits } from '../src/limits.ts'
import { loadModel } from '../src/load/load-model.ts'
import { memoryFiles } from './memory-files.ts'

const mujoco = (content: string) => `<mujoco>${content}</mujoco>`
const include = (file: string) => `<include file="${file}"/>`
const asset = (file: string) => `<asset><model file="${file}"/></asset>`

describe('is over the limit', () => {
  const chain = (length: number, content: (next: string) => string) =>
    Object.fromEntries([
      ['main.xml', mujoco(include('f0.xml'))],
      ...Array.from({ length }, (_, at) => [`f${at}.xml`, mujoco(content(include(`f${at + 1}.xml`)))]),
      [`f${length}.xml`, '<x><y/></x>'],
    ])
  const flat = (count: number, content: string) => ({
    'main.xml': mujoco(Array.from({ length: count }, (_, at) => include(`f${at}.xml`)).join('')),
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.xml`, mujoco(content)])),
  })

  it.each([
    ['a bomb of includes', chain(30, (next) => next + next)],
    ['a chain of nested files', chain(300, (next) => `<b><b>${next}</b></b>`)],
    ['too many files', flat(limits.includes + 1, '<a/>')],
    ['too many elements in all files', flat(600, '<a/>'.repeat(200))],
    [
      'too many attributes in all files',
      flat(6, `<a ${Array.from({ length: 900 }, (_, at) => `a${at}=""`).join(' ')}/>`.repeat(100)),
    ],
    ['too many bytes in all files', flat(3, `<a/><!--${'x'.repeat(limits.textBytes / 3)}-->`)],
    [
      'too many names',
      { 'main.xml': mujoco(Array.from({ length: limits.asked }, (_, at) => include(`f${at}.xml`)).join('')) },
    ],
    ['too many models', { 'main.xml': mujoco(asset('c.xml').repeat(limits.models + 1)), 'c.xml': mujoco('<a/>') }],
  ])('%s', async (_, files) => {
    await expect(loadModel(memoryFiles(files), 'main.xml', new Faults())).rejects.toMatchObject({
      fault: { kind: 'limit' },
    })
  })

  it('a file too large, which is not read', async () => {
    const files = memoryFiles({ 'main.xml': new Uint8Array(limits.fileBytes + 1) })
    const unread = { ...files, readFile: () => Promise.reject(new Error('was read')) }
    await expect(loadModel(unread, 'main.xml', new Faults())).rejects.toMatchObject({ fault: { kind: 'limit' } })
  })
})
