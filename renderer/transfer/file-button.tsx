import { type ReactNode, useRef } from 'react';

interface FileButtonProps {
  /** Endings and media types, as the attribute of the same name. */
  accept: string;
  onFile: (file: File) => void;
  disabled?: boolean;
  id?: string;
  labelledBy?: string;
  describedBy?: string | undefined;
  testId: string;
  children: ReactNode;
}

/** A button that lets a file be chosen. */
export function FileButton(props: FileButtonProps) {
  const { accept, onFile, disabled = false, id, labelledBy, describedBy, testId, children } = props;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        id={id}
        type="button"
        className="button"
        data-size="small"
        disabled={disabled}
        aria-labelledby={labelledBy}
        aria-describedby={describedBy}
        onClick={() => input.current?.click()}
      >
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        data-testid={testId}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // The same file may be chosen again.
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}
