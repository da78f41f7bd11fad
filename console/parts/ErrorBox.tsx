import { problemOf } from '../api/problem.ts'
import { Button } from '../design/Button.tsx'
import styles from './ErrorBox.module.css'

/** What could not be read or done, in the API's own sentence. */
export const ErrorBox = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
  const { code, sentence, details } = problemOf(error)
  return (
    <div className={styles.box} role="alert">
      <p className="stranger">{sentence}</p>
      {details.map(({ path, message }) => (
        <p key={path} className="stranger">
          <code>{path}</code> {message}
        </p>
      ))}
      <footer>
        <code>{code}</code>
        {onRetry && (
          <Button small onPress={onRetry}>
            Try again
          </Button>
        )}
      </footer>
    </div>
  )
}
