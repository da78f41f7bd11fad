import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../addresses.ts'
import { client, type Api } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { Button } from '../design/Button.tsx'
import { notify } from '../design/notices.ts'
import { Curl } from './Curl.tsx'
import { Reconnect } from './Reconnect.tsx'
import { entryAtQuery } from './vault-entries.ts'
import { useOwner } from '../session/workspace.ts'

interface WhyActionProps {
  cause: Api['Cause']
  agentId: string
}

/** The button for what a cause suggests, if a button can do it. */
export const WhyAction = ({ cause: { code, runId, site }, agentId }: WhyActionProps) => {
  const owner = useOwner()
  if (code === 'PAUSED' && owner.may('build')) return <ResumeButton agentId={agentId} />
  if (code === 'CREDENTIAL' && site !== null && owner.may('build')) return <ReconnectButton origin={site} />
  if (code === 'RUN_AHEAD' && runId !== null) return <Link {...to.run(owner.address, runId)}>Open the run ahead</Link>
  return null
}

const ResumeButton = ({ agentId }: { agentId: string }) => {
  const resuming = useMutation({
    async mutationFn() {
      const { error } = await client.POST('/agents/{agentId}/resume', { params: { path: { agentId } } })
      if (error) throw error
    },
    onSuccess: () => notify('done', 'The agent is resumed.'),
    onError: (error) => notify('problem', problemOf(error).sentence),
  })
  return (
    <>
      <Button small busy={resuming.isPending} onPress={() => resuming.mutate()}>
        Resume the agent
      </Button>
      <Curl action={{ method: 'POST', path: `/agents/${agentId}/resume` }} />
    </>
  )
}

const ReconnectButton = ({ origin }: { origin: string }) => {
  const { query } = useOwner()
  const { data: entry } = useQuery(entryAtQuery(query.workspaceId, origin))
  const [isOpen, setOpen] = useState(false)
  if (!entry) return null
  return (
    <>
      <Button small onPress={() => setOpen(true)}>
        Reconnect the site
      </Button>
      {isOpen && <Reconnect entryId={entry.id} onClose={() => setOpen(false)} />}
    </>
  )
}
