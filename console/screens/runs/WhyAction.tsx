import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { client } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { useOwner } from '../../session/workspace.ts'

interface WhyActionProps {
  cause: { code: string; runId: string | null }
  agentId: string
}

/** The button for what a cause suggests, if a button can do it. */
export const WhyAction = ({ cause: { code, runId }, agentId }: WhyActionProps) => {
  const owner = useOwner()
  const resuming = useMutation({
    async mutationFn() {
      const { error } = await client.POST('/agents/{agentId}/resume', { params: { path: { agentId } } })
      if (error) throw error
    },
    onSuccess: () => notify('done', 'The agent is resumed.'),
    onError: (error) => notify('problem', problemOf(error).sentence),
  })
  if (code === 'PAUSED' && owner.may('build'))
    return (
      <Button small busy={resuming.isPending} onPress={() => resuming.mutate()}>
        Resume the agent
      </Button>
    )
  if (code === 'RUN_AHEAD' && runId !== null) return <Link {...to.run(owner.address, runId)}>Open the run ahead</Link>
  return null
}
