import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/Button.tsx'
import { notify } from '../../../design/notices.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { checkedInWords } from './differences.ts'

/** Reads now what the site says about itself. */
export const CheckNow = ({ entryId }: { entryId: string }) => {
  const queries = useQueryClient()
  const checking = api.useMutation('post', '/vault/{entryId}/refresh-manifest', {
    async onSuccess(found) {
      notify('done', checkedInWords(found))
      await queries.invalidateQueries()
    },
    onError: (error) => notify('problem', problemOf(error).sentence),
  })
  return (
    <>
      <Curl action={{ method: 'POST', path: `/vault/${entryId}/refresh-manifest` }} />
      <Button busy={checking.isPending} onPress={() => checking.mutate({ params: { path: { entryId } } })}>
        Check now
      </Button>
    </>
  )
}
