import { useQuery } from '@tanstack/react-query'
import { api, type Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Check } from '../../../design/Check.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import type { Owner } from '../../../session/workspace.ts'
import { toolInWords } from '../agent-words.ts'
import styles from './Form.module.css'
import { readingTools, usesTool, withAsking, withMore, withSite, withTool, type SiteDraft } from './site-drafts.ts'

interface SitesFieldProps {
  owner: Owner
  sites: readonly SiteDraft[]
  problem: string | undefined
  onChange: (sites: SiteDraft[]) => void
}

/** The connected sites that the agent may use, and which of their tools. */
export const SitesField = ({ owner, sites, problem, onChange }: SitesFieldProps) => {
  const params = { query: { ...owner.query, limit: 100 } }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/vault', { params }))
  if (!data) return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={3} />
  return (
    <div className={styles.part} role="group" aria-label="Sites">
      {data.items.length === 0 && <p className={styles.quiet}>No site is connected yet.</p>}
      {data.items.map((entry) => {
        const site = sites.find(({ vaultEntryId }) => vaultEntryId === entry.id)
        const change = (next: SiteDraft | undefined) => onChange(withSite(sites, entry.id, next))
        return (
          <div key={entry.id} className={styles.site}>
            <Check
              isSelected={site !== undefined}
              onChange={(isUsed) => change(isUsed ? { vaultEntryId: entry.id, tools: [] } : undefined)}
            >
              <span className="stranger">
                {shownText(entry.name)} <span className={styles.quiet}>{shownText(entry.origin)}</span>
              </span>
            </Check>
            {site && <Tools site={site} onChange={change} />}
          </div>
        )
      })}
      {problem !== undefined && (
        <p className={`${styles.problem} stranger`} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

const Tools = ({ site, onChange }: { site: SiteDraft; onChange: (site: SiteDraft) => void }) => {
  const params = { path: { entryId: site.vaultEntryId } }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/vault/{entryId}/tools', { params }))
  if (!data) return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={3} />
  const names = data.items.map(({ name }) => name)
  return (
    <>
      <div>
        <Button small onPress={() => onChange(withTool(site, readingTools(data.items)))}>
          Choose the tools that only read
        </Button>
      </div>
      <Check
        isSelected={site.tools === undefined}
        onChange={(all) => onChange(withTool(site, all ? undefined : names))}
      >
        All tools, also those that the site adds later
      </Check>
      {data.items.map((tool) => (
        <Tool key={tool.name} tool={tool} names={names} site={site} onChange={onChange} />
      ))}
    </>
  )
}

interface ToolProps {
  tool: Api['VaultTool']
  names: readonly string[]
  site: SiteDraft
  onChange: (site: SiteDraft) => void
}

const Tool = ({ tool, names, site, onChange }: ToolProps) => {
  const isUsed = usesTool(site, tool.name)
  const choose = (use: boolean) => {
    const others = (site.tools ?? names).filter((name) => name !== tool.name)
    onChange(use ? withMore(site, tool, names) : withTool(site, others))
  }
  return (
    <div className={styles.tool}>
      <Check isSelected={isUsed} onChange={choose}>
        <code className="stranger">{shownText(tool.name)}</code>{' '}
        <span className={styles.quiet}>{toolInWords(tool)}</span>
      </Check>
      {isUsed && (
        <Check
          isSelected={site.askFirst?.includes(tool.name) ?? false}
          onChange={(asks) => onChange(withAsking(site, tool.name, asks))}
        >
          Ask first
        </Check>
      )}
    </div>
  )
}
