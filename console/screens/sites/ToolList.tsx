import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import { Json } from '../../parts/Json.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Badge } from '../../parts/Status.tsx'
import { Proposal } from './Proposal.tsx'
import { hasProposal, proposalWords } from './proposal-words.ts'
import { toolDoes, toolInWords } from './tool-words.ts'
import styles from './ToolList.module.css'

type Tool = Api['Tool'] & Partial<Pick<Api['VaultTool'], 'usable'>>

interface ToolListProps {
  tools: readonly Tool[]
  /** Whose tools can be called from here. */
  callFrom?: { owner: string; entryId: string }
  /** The entry whose proposed effects can be confirmed from here. */
  confirmFor?: string
}

/** Tools with what a call does to the site. Each opens to its whole description and the schema of its arguments. */
export const ToolList = ({ tools, callFrom, confirmFor }: ToolListProps) => (
  <ul className={styles.list}>
    {tools.map((tool) => (
      <li key={tool.name} className={`${styles.item} ${callFrom ? styles.callable : ''}`}>
        <ToolRow tool={tool} confirmFor={confirmFor} />
        {callFrom && tool.usable !== false && (
          <Link {...to.tool(callFrom.owner, callFrom.entryId, tool.name)} className={styles.call}>
            Call<span className={styles.spoken}> {shownText(tool.name)}</span>
          </Link>
        )}
      </li>
    ))}
    {tools.length === 0 && <li className={styles.none}>The site offers no tools.</li>}
  </ul>
)

interface ToolProps {
  tool: Tool
  confirmFor: string | undefined
}

const ToolRow = ({ tool, confirmFor }: ToolProps) => {
  const [isOpen, setOpen] = useState(false)
  const { word, tone } = toolDoes(tool)
  return (
    <details className={styles.tool} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={styles.row}>
        <code className={`stranger ${styles.name}`}>{shownText(tool.name)}</code>
        <span>
          <Badge tone={tone}>{word}</Badge>
          {tool.proposedEffect !== undefined && hasProposal(tool) && (
            <span className={styles.proposed}> {proposalWords[tool.proposedEffect]}</span>
          )}
        </span>
        <span className={`stranger ${styles.description}`}>{shownText(tool.description)}</span>
      </summary>
      {isOpen && <ToolDetail tool={tool} confirmFor={confirmFor} />}
    </details>
  )
}

const ToolDetail = ({ tool, confirmFor }: ToolProps) => (
  <div className={styles.detail}>
    <p className="stranger">{shownText(tool.description)}</p>
    <p className={styles.quiet}>{toolInWords(tool)}</p>
    <Proposal tool={tool} entryId={confirmFor} />
    {tool.usable === false && (
      <p className={styles.quiet}>
        The site did not grant the scope <code>{tool.scope}</code>, so the tool cannot be called. Reconnect the site to
        ask for it.
      </p>
    )}
    <h3>Arguments</h3>
    <Json value={tool.inputSchema} name={`arguments of ${tool.name}`} />
  </div>
)
