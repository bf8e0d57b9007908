import { defineRows } from '../support/define-cases.ts'

export const rows = defineRows({
  refused: {
    hosted_calls_states: `insert into hosted_calls (id, job_kind, job_id, backend, function_name, state) values ('x', 'run', 'x', 'process', 'x', 'pending')`,
  },
})
