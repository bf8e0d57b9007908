/** PostgreSQL's types as statements declare them. A test has PostgreSQL describe each statement, and compares. */
import type * as enums from '../../prisma/generated/client/enums.ts'

/** What a column or a parameter is declared as. */
export interface Declared {
  /** PostgreSQL's name of the type: `int8`, `JobStatus`, `text[]`. */
  readonly sqlType: string
  readonly isNullable: boolean
}

/** The name of an enum of the schema. */
export type EnumName = keyof typeof enums

/** The values of an enum of the schema. */
export type EnumValue<Name extends EnumName> = (typeof enums)[Name][keyof (typeof enums)[Name]]

/** A column as the schema has it, for writes. */
export interface StoredColumn {
  /** As in `Declared`. */
  readonly type: string
  readonly isNullable: boolean
  readonly hasDefault: boolean
}
