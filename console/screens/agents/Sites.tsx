import { useQuery } from '@tanstack/react-query'
import { api, type Api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Badge } from '../../parts/Status.tsx'
import { allowedTools, toolInWords, type AllowedTool } from './agent-words.ts'
import styles from './Agents.module.css'

/** What an agent may touch: its sites, and each tool with what it does there. */
export const Sites = ({ sites }: { sites: readonly Api['AgentSite'][] }) => (
  <section className={styles.section} aria-labelledby="sites">
    <h2 id="sites">What it may touch</h2>
    {sites.length === 0 ? (
      <p className={styles.quiet}>This agent has no sites. It can answer, but it cannot read or change anything.</p>
    ) : (
      <ul className={styles.list}>
        {sites.map((site) => (
          <Site key={site.vaultEntryId} site={site} />
        ))}
      </ul>
    )}
  </section>
)

const Site = ({ site }: { site: Api['AgentSite'] }) => {
  const params = { path: { entryId: site.vaultEntryId } }
  const entry = useQuery(api.queryOptions('get', '/vault/{entryId}', { params }))
  const tools = useQuery(api.queryOptions('get', '/vault/{entryId}/tools', { params }))
  const error = entry.error ?? tools.error
  return (
    <li className={styles.site}>
      {error ? (
        <ErrorBox error={error} onRetry={() => void Promise.all([entry.refetch(), tools.refetch()])} />
      ) : entry.data && tools.data ? (
        <>
          <h3 className="stranger">
            {shownText(entry.data.name)} <span className={styles.quiet}>{shownText(entry.data.origin)}</span>
          </h3>
          {site.tools === null && <p className={styles.quiet}>All tools, also those that the site adds later.</p>}
          <ul className={styles.tools}>
            {allowedTools(site, tools.data.items).map((allowed) => (
              <Tool key={allowed.name} allowed={allowed} />
            ))}
          </ul>
        </>
      ) : (
        <Skeleton lines={3} />
      )}
    </li>
  )
}

const Tool = ({ allowed: { name, permission, tool } }: { allowed: AllowedTool }) => (
  <li className={styles.tool}>
    <code className="stranger">{shownText(name)}</code>
    <span className={styles.quiet}>{tool ? toolInWords(tool) : 'The site no longer offers this tool.'}</span>
    <span>
      <Badge tone={permission === 'allowed' ? 'calm' : 'warn'}>{permission}</Badge>
    </span>
  </li>
)
