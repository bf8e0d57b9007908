import { geom, model } from './documents.ts'

/** A rule of the grammar with documents that break it and documents that keep it. */
export interface GrammarCase {
  readonly rule: string
  readonly refused: readonly string[]
  readonly accepted: readonly string[]
}

const reals = (tokens: string) => tokens.split('~').map((token) => geom(`margin="${token}"`))
const floats = (tokens: string) => tokens.split('~').map((token) => model(`<visual><global fovy="${token}"/></visual>`))
const groups = (tokens: string) => tokens.split('~').map((token) => geom(`group="${token}"`))
const wholes = (tokens: string) => tokens.split('~').map((token) => model(`<size nconmax="${token}"/>`))

/** How numbers are read. */
export const NUMBER_CASES: readonly GrammarCase[] = [
  {
    rule: 'a number is what strtod reads up to the next blank',
    refused: reals('1,2~1;~0x1p~0x~1e~1e+~.~-~nan(~infinit~1d~1f~1_0~１~\u00a01~1\u00a0'),
    accepted: reals('0x10~0x1p-3~0x.8~0x1.~0x1p+2~1.~.5~+.5~nan~NaN(12)~nan()~inf~-INFINITY~ 1 ~&#9;1&#10;~&#11;1'),
  },
  {
    rule: 'a number too large or too small for a double is refused, unless it is zero',
    refused: reals('1e400~1e-400~1e-310~0x1p-1075~1e99999999999999999999~-1e400'),
    accepted: reals('1e308~2.2250738585072014e-308~0x1p-1074~0x1.8p-1074~0e99999~0e-99999~0x0p99999'),
  },
  {
    rule: 'a number too large or too small for a float is refused where a float is read',
    refused: floats(
      '3.5e38~3.4028236e38~1e-38~1e-46~1.1754942e-38~0x1p-150~0.00000000000000000000000000000000000000000000001',
    ),
    accepted: floats('1e38~3.4028235e38~1e-37~1.17549435e-38~0x1p-149~0x1p-130~nan~inf'),
  },
  {
    rule: 'a whole number has only digits and fits 32 bits',
    refused: groups('1.0~1e1~0x1~1.~2147483648~-2147483649~99999999999~1 2'),
    accepted: groups('+1~-1~010~2147483647~-2147483648~ 1 ~'),
  },
  {
    rule: 'some whole numbers cannot be empty',
    refused: wholes('~ ~1.0~2147483648~1 2~-2'),
    accepted: wholes('-1~0~ 1 ~2147483647~+1'),
  },
]
