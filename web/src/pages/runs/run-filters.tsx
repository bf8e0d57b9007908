/** What the list of runs is searched, filtered and sorted by. */
import { type MouseEvent, useState } from 'react'
import { DelayedInput } from '../../ui/delayed-input.tsx'
import { StatusSelect } from '../../ui/status-select.tsx'
import { useReading } from '../../ui/use-reading.ts'
import {
  type ColumnName,
  columnNames,
  MAX_METRICS,
  type RunView,
  sortValues,
  statuses,
  type TextFilter,
  textFilters,
  withColumn,
  withMember,
  withMetric,
} from './run-view.ts'
import { runMetricKeysQuery } from './runs.graphql.ts'

interface Props {
  readonly search: URLSearchParams
  readonly view: RunView
  readonly owners: readonly string[]
  readonly change: (edit: (before: URLSearchParams) => URLSearchParams) => void
}

export function RunFilters({ search, view, owners, change }: Props) {
  const { variables } = view
  const set = (name: string, value: string) => change((before) => withMember(before, name, value))
  // A button that goes away would leave the keyboard nowhere.
  const clear = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    currentTarget.closest('search')?.querySelector('input')?.focus()
    change(without(filterNames))
  }
  const active = filterNames.some((name) => search.get(name))
  return (
    <search className="stack">
      <div className="filters">
        <DelayedInput
          label="Search runs"
          placeholder="Search names"
          size={28}
          maxLength={200}
          value={variables.q ?? ''}
          change={(text) => set('q', text)}
        />
        <select
          aria-label="Account"
          value={variables.owner ?? ''}
          onChange={({ target }) => set('owner', target.value)}
        >
          <option value="">All accounts</option>
          {owners.map((handle) => (
            <option key={handle}>{handle}</option>
          ))}
        </select>
        <StatusSelect
          statuses={statuses}
          chosen={variables.status ?? null}
          choose={(status) => set('status', status ?? '')}
        />
        {(Object.keys(textFilters) as TextFilter[]).map((name) => (
          <DelayedInput
            key={name}
            label={textFilters[name]}
            placeholder={textFilters[name]}
            size={10}
            value={search.get(name) ?? ''}
            change={(text) => set(name, text)}
          />
        ))}
        {active && (
          <button type="button" className="button plain small" onClick={clear}>
            Clear filters
          </button>
        )}
      </div>
      {variables.sortMetric && <SortedBy metric={variables.sortMetric} by={variables.sortBy} change={change} />}
      <Columns view={view} change={change} owner={variables.owner ?? null} />
    </search>
  )
}

const filterNames = ['q', 'status', 'owner', ...Object.keys(textFilters)]
const sortNames = ['sort', 'by', 'order']

const without = (names: readonly string[]) => (before: URLSearchParams) => {
  const next = new URLSearchParams(before)
  for (const name of names) next.delete(name)
  return next
}

interface SortProps extends Pick<Props, 'change'> {
  readonly metric: string
  readonly by: RunView['variables']['sortBy']
}

function SortedBy({ metric, by, change }: SortProps) {
  const choose = (value: string) => change((before) => withMember(before, 'by', value === 'LAST' ? '' : value))
  const newest = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    currentTarget.closest('search')?.querySelector('summary')?.focus()
    change(without(sortNames))
  }
  return (
    <div className="row">
      <label className="row">
        <span>Sorted by {metric},</span>
        <select aria-label="Value of the metric" value={by ?? 'LAST'} onChange={({ target }) => choose(target.value)}>
          {Object.entries(sortValues).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="button plain small" onClick={newest}>
        Newest first
      </button>
    </div>
  )
}

interface ColumnsProps extends Pick<Props, 'view' | 'change'> {
  readonly owner: string | null
}

/** The keys of metrics are asked for once this is open. */
function Columns({ view, change, owner }: ColumnsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Columns</summary>
      <div className="stack panel">
        <fieldset className="row">
          <legend>Facts</legend>
          {(Object.keys(columnNames) as ColumnName[]).map((name) => (
            <label key={name} className="row">
              <input
                type="checkbox"
                checked={view.columns.includes(name)}
                onChange={() => change((before) => withColumn(before, name))}
              />
              {columnNames[name]}
            </label>
          ))}
        </fieldset>
        {isOpen && <Metrics shown={view.metrics} change={change} owner={owner} />}
      </div>
    </details>
  )
}

interface MetricsProps extends Pick<Props, 'change'> {
  readonly shown: readonly string[]
  readonly owner: string | null
}

function Metrics({ shown, change, owner }: MetricsProps) {
  const [{ data }] = useReading({ query: runMetricKeysQuery, variables: { owner } })
  const known = new Set(data?.runs?.nodes.flatMap(({ summary }) => summary.map(({ key }) => key)))
  const add = (key: string) => {
    if (key !== '' && !shown.includes(key)) change((before) => withMetric(before, key))
  }
  return (
    <fieldset className="row">
      <legend>Metrics</legend>
      {shown.map((key) => (
        <label key={key} className="row">
          <input type="checkbox" checked onChange={() => change((before) => withMetric(before, key))} />
          {key}
        </label>
      ))}
      {shown.length < MAX_METRICS && (
        <select aria-label="Add a metric" value="" onChange={({ target }) => add(target.value)}>
          <option value="">Add a metric</option>
          {[...known]
            .filter((key) => !shown.includes(key))
            .sort()
            .map((key) => (
              <option key={key}>{key}</option>
            ))}
        </select>
      )}
    </fieldset>
  )
}
