import { describe, expect, it } from 'vitest'
import { attachment } from '../../../src/store/objects/content-disposition.ts'

describe('the name of a download', () => {
  it.each([
    ['plain.txt', `attachment; filename="plain.txt"; filename*=UTF-8''plain.txt`],
    ['a"b\\c%d/e', `attachment; filename="a_b_c_d_e"; filename*=UTF-8''a%22b%5Cc%25d%2Fe`],
    ['line\r\nbreak', `attachment; filename="line__break"; filename*=UTF-8''line%0D%0Abreak`],
    ["😀!'()*", `attachment; filename="_!'()*"; filename*=UTF-8''%F0%9F%98%80!%27%28%29%2A`],
    ['lone \ud800', `attachment; filename="lone _"; filename*=UTF-8''lone%20%EF%BF%BD`],
  ])('%j cannot break the header', (name, header) => {
    expect(attachment(name)).toBe(header)
  })
})
