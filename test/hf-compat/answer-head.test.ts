import { expect, it } from 'vitest'
import { answerHead } from '../../hf-compat/files/answer-head.ts'

it('HEAD of a file is a redirect to a store of another host name only', () => {
  const origins = ['https://hub.lab', 'http://127.0.0.1:4000']
  const at = (address: string) => answerHead(address, origins)
  const elsewhere = 'https://store.lab/b/k?X-Amz-Signature=1'
  expect(at(elsewhere)).toEqual({ code: 302, location: elsewhere })
  expect(at('https://hub.lab.store/b')).toEqual({ code: 302, location: 'https://hub.lab.store/b' })
  for (const own of ['https://hub.lab/objects/k', 'http://127.0.0.1:4000/objects/k'])
    expect(at(own)).toEqual({ code: 200, location: own })
  // A store of another port would get the client's key beside its signature, which S3 refuses.
  for (const beside of ['http://hub.lab:9000/b/k', 'http://127.0.0.1:9000/b/k'])
    expect(at(beside)).toEqual({ code: 200 })
})
