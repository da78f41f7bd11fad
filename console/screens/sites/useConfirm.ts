import { useQueryClient } from '@tanstack/react-query'
import { api, type Api } from '../../api/client.ts'
import { notify } from '../../design/notices.ts'
import { problemOf } from '../../api/problem.ts'
import { countInWords } from '../../parts/format.ts'

/** Confirms effects that a site proposes, or takes confirmations back. */
export function useConfirm(entryId: string) {
  const queries = useQueryClient()
  const confirming = api.useMutation('patch', '/vault/{entryId}/tools', {
    async onSuccess(_tools, { body: { tools } }) {
      notify('done', `${countInWords(tools.length, 'effect')} changed. Calls that are already recorded keep theirs.`)
      await queries.invalidateQueries()
    },
    onError: (error) => notify('problem', problemOf(error).sentence),
  })
  return {
    isBusy: confirming.isPending,
    confirm: (tools: Api['ToolEffect'][]) =>
      confirming.mutateAsync({ params: { path: { entryId } }, body: { tools } }).catch(() => undefined),
  }
}
