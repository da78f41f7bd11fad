import { queryOptions } from '@tanstack/react-query'
import { client, type Api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { membersOf } from './exact-json.ts'
import { readEntryAt } from './vault-entries.ts'

/** An approval whose arguments are the exact JSON text that would be sent. */
export type ShownApproval = Omit<Api['Approval'], 'arguments'> & { arguments: string }

/** An approval that waits is read again every few seconds, because others may decide it. */
export const approvalQuery = (approvalId: string) =>
  queryOptions<ShownApproval>({
    queryKey: ['approval', approvalId],
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 4000 : false),
    async queryFn({ signal }) {
      const path = { approvalId }
      const { data, error } = await client.GET('/approvals/{approvalId}', { params: { path }, parseAs: 'text', signal })
      if (data === undefined) throw error
      return readApproval(data)
    },
  })

/** Values for a form: as they were typed, because the API reads numbers and the like from texts, or what is chosen. */
export type FormInput = Record<string, string | readonly string[]>

/** The body of a decision. */
export const decisionOf = (
  { argumentsHash }: Pick<ShownApproval, 'argumentsHash'>,
  decision: 'approve' | 'refuse',
  note: string,
  input?: FormInput,
) => ({ decision, argumentsHash, ...(note === '' ? {} : { note }), ...(input && decision === 'approve' && { input }) })

/** Decides on the arguments that were shown. Throws the API's refusal. */
export async function decide(
  approval: Pick<ShownApproval, 'id' | 'argumentsHash'>,
  decision: 'approve' | 'refuse',
  note: string,
  input?: FormInput,
): Promise<ShownApproval> {
  const { id } = approval
  const body = decisionOf(approval, decision, note, input)
  const params = { path: { approvalId: id } }
  const { data, error } = await client.POST('/approvals/{approvalId}', { params, body, parseAs: 'text' })
  void queries.invalidateQueries({ queryKey: ['get', '/approvals'] })
  if (data === undefined) {
    // Somebody else may have decided.
    void queries.invalidateQueries({ queryKey: approvalQuery(id).queryKey })
    throw error
  }
  const decided = readApproval(data)
  queries.setQueryData(approvalQuery(id).queryKey, decided)
  return decided
}

function readApproval(json: string): ShownApproval {
  const shown = membersOf(json).find(({ name }) => name === 'arguments')?.json ?? '{}'
  return { ...(JSON.parse(json) as Api['Approval']), arguments: shown }
}

/** The connection that a call to the site uses, and what its tool may do. null if the site is no longer connected. */
export const connectionQuery = (workspaceId: string | undefined, origin: string, toolName: string) =>
  queryOptions({
    queryKey: ['connection', workspaceId, origin, toolName],
    staleTime: 30_000,
    async queryFn() {
      const entry = await readEntryAt(workspaceId, origin)
      if (entry === undefined) return null
      const { data } = await client.GET('/vault/{entryId}/tools', { params: { path: { entryId: entry.id } } })
      return { entry, tool: data?.items.find(({ name }) => name === toolName) }
    },
  })
