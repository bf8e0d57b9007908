import type { LoadedModel } from '../load/loaded-model.ts'
import { inDocumentOrder } from '../xml/in-document-order.ts'
import type { Report } from './report.ts'

/** Checks that each use names a plugin or an instance. What the plugin does cannot be known without running it. */
export function checkPlugins({ root }: LoadedModel, report: Report): void {
  const used = root.children
    .filter(({ name }) => name !== 'extension')
    .flatMap((section) => [...inDocumentOrder(section)])
  for (const element of used) {
    const named = ['plugin', 'instance'].some((name) => (element.attributes.get(name) ?? '') !== '')
    if (element.name === 'plugin' && !named) {
      report.fault(
        { rule: 'plugin', kind: 'compile' },
        element,
        'A <plugin> element names neither a plugin nor an instance.',
      )
    }
  }
}
