/** Which of the chosen files a page sends. */
import { describe, expect, it } from 'vitest'
import { chooseFiles, commonFolder, withoutFolder } from '../../../web/src/pages/repos/upload/choose-files.ts'

const file = (path: string, text = 'x') => ({ path, file: new File([text], path.split('/').at(-1) ?? '') })
const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path)

describe('the files that are sent', () => {
  it('are those that no ignore file, no name of a tool and no name of a key leaves out', async () => {
    const { sent, ignored, secret } = await chooseFiles([
      file('.gitignore', '*.log\ndata/\n'),
      file('a/.gitignore', '!keep.log\n'),
      file('a/keep.log'),
      file('a/b.log'),
      file('data/x.bin'),
      file('node_modules/x/index.js'),
      file('.git/config'),
      file('.DS_Store'),
      file('.env'),
      file('.env.example'),
      file('.npmrc', '//registry.npmjs.org/:_authToken=npm_x\n'),
      file('a/.npmrc', 'save-exact=true\n'),
      file('arm.xml'),
    ])
    expect(paths(sent)).toEqual(['.gitignore', 'a/.gitignore', 'a/keep.log', '.env.example', 'a/.npmrc', 'arm.xml'])
    expect(paths(ignored)).toEqual(['a/b.log', 'data/x.bin', 'node_modules/x/index.js'])
    expect(paths(secret)).toEqual(['.env', '.npmrc'])
  })

  it('follow a .hubignore over a .gitignore beside it, whichever the browser names first', async () => {
    const { sent } = await chooseFiles([
      file('.hubignore', '!a.bin\n'),
      file('.gitignore', '*.bin\n'),
      file('a.bin'),
      file('b.bin'),
    ])
    expect(paths(sent)).toEqual(['.hubignore', '.gitignore', 'a.bin'])
  })
})

describe('the folder that files are in', () => {
  it('is known where it is one', () => {
    expect(commonFolder([file('arm/a'), file('arm/b/c')])).toBe('arm')
    expect(commonFolder([file('arm/a'), file('leg/b')])).toBeNull()
    expect(commonFolder([file('arm/a'), file('b')])).toBeNull()
    expect(paths(withoutFolder([file('arm/a'), file('arm/b/c')], 'arm'))).toEqual(['a', 'b/c'])
  })
})
