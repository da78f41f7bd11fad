import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../../addresses.ts'
import { api, type Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { notify } from '../../../design/notices.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Badge } from '../../../parts/Status.tsx'
import { When } from '../../../parts/When.tsx'
import type { Owner } from '../../../session/workspace.ts'
import { HostTicks } from '../../../parts/HostTicks.tsx'
import styles from './Changes.module.css'
import { Differences } from './Differences.tsx'
import { classWords, hostNames, hostsIn } from './differences.ts'

interface PendingProps {
  entry: Api['VaultEntry']
  change: Api['ManifestChange']
  names: readonly string[]
  owner: Owner
}

/** The change that waits, with what it changes, and its acceptance as a whole. */
export const Pending = ({ entry, change, names, owner }: PendingProps) => {
  const { word, tone } = classWords[change.class]
  return (
    <section className={styles.pending} aria-labelledby="pending">
      <header className={styles.head}>
        <h2 id="pending">A change waits for you</h2>
        <Badge tone={tone}>{word}</Badge>
        <span className={styles.quiet}>
          found <When at={change.foundAt} />
        </span>
      </header>
      <p>
        Agents keep using the site as it was. If the site no longer works as it was, their calls fail until the change
        is accepted.
      </p>
      <Differences differences={change.differences} names={names} />
      {owner.may('build') ? (
        <Acceptance entry={entry} change={change} owner={owner} />
      ) : (
        <p className={styles.quiet}>Your role may not accept changes. Ask a member of the workspace.</p>
      )}
    </section>
  )
}

const Acceptance = ({ entry, change, owner }: Omit<PendingProps, 'names'>) => {
  const hosts = hostsIn(change.differences)
  const [accepted, accept] = useState<readonly string[]>([])
  const navigate = useNavigate()
  const queries = useQueryClient()
  const accepting = api.useMutation('post', '/vault/{entryId}/accept-manifest', {
    async onSuccess() {
      notify('done', `The change of “${shownText(entry.name)}” is in use.`)
      await navigate(to.site(owner.address, entry.id))
      await queries.invalidateQueries()
    },
  })
  const body = { fingerprint: change.fingerprint, acceptHosts: hostNames(accepted) }
  const areAll = hosts.every((host) => accepted.includes(host))
  return (
    <>
      <HostTicks
        legend="Calls or logins would be sent to these hosts. Tick each one that you trust with them."
        hosts={hosts}
        accepted={accepted}
        onAccept={accept}
      />
      {accepting.error && <ErrorBox error={accepting.error} />}
      <div className={styles.accept}>
        <Button
          kind="primary"
          busy={accepting.isPending}
          isDisabled={!areAll}
          onPress={() => accepting.mutate({ params: { path: { entryId: entry.id } }, body })}
        >
          Accept the whole change
        </Button>
        <Curl action={{ method: 'POST', path: `/vault/${entry.id}/accept-manifest`, body }} />
        <span className={styles.quiet}>
          A site’s tools are one published version, so they are accepted together. To keep an agent from a tool, leave
          the tool out of the agent.
        </span>
      </div>
    </>
  )
}
