/**
 * A Pothos plugin: how large a field can be, declared next to it. The count before an operation and the limits of a
 * running one read it (`src/http/field-size.ts`). Building the schema fails for a list without page arguments that does
 * not say how long it may be.
 */
import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import type { DeclaredSize } from '../src/platform/declared-size.ts'

const PLUGIN = 'declaredSize' as const

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      declaredSize: DeclaredSizePlugin<Types>
    }

    interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > extends DeclaredSize {}
  }
}

class DeclaredSizePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { most, page, sizedBy, work } = field.pothosOptions as DeclaredSize
    if (field.type.kind === 'List' && most === undefined && !isOfPage(field.name))
      throw new Error(`${field.parentType}.${field.name} is a list: say with \`most\` how many items it may have.`)
    if (field.type.kind !== 'List' && most !== undefined)
      throw new Error(`${field.parentType}.${field.name} is not a list, but says \`most\`.`)
    const isUsual = [most, page, sizedBy, work].every((one) => one === undefined)
    if (isUsual) return field
    return { ...field, extensions: { ...field.extensions, size: { most, page, sizedBy, work } satisfies DeclaredSize } }
  }
}

/** The members of a connection are as many as its page. */
const isOfPage = (name: string): boolean => name === 'nodes' || name === 'edges'

SchemaBuilder.registerPlugin(PLUGIN, DeclaredSizePlugin)

export default PLUGIN
