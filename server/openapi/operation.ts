/** One route as the document describes it. Each dialect has a file of these beside this one. */
import type { z } from 'zod';

/** A schema with the name that it has in the document. */
export interface Named {
  name: string;
  schema: z.ZodType;
}

export interface StreamDescription {
  mediaType: 'text/event-stream' | 'application/x-ndjson';
  /** What one event (its JSON) or one line is. */
  event: readonly Named[];
  /** How the stream is asked for, how it begins and ends. */
  description: string;
}

/** How a dialect tells failures. */
export interface ErrorDescription {
  /** More than one: by the dialect of the client. */
  bodies: readonly Named[];
  /** Statuses that a program should know of, with what they mean. Others are told in the same shape. */
  statuses: Readonly<Record<number, string>>;
}

export interface Operation {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head';
  /** Such as "/v1/models/{id}". */
  path: string;
  /** A name in camel case that no other operation has: generated clients make a function of it. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  /** What each name in braces in the path, and each field of the query, stands for. */
  parameters?: readonly { name: string; in: 'path' | 'query' | 'header'; description: string }[];
  /** With a body that works as it is, where there are models of the kind. */
  request?: Named & { example: object };
  /** The body is a file as it is; what it may be. */
  requestFile?: string;
  /** With status 200; null: there is none but refusals. */
  answer: {
    description: string;
    /** One of these, by the dialect of the client; none: only the stream. */
    bodies: readonly Named[];
    stream?: StreamDescription;
    /** The media type of an answer that is text and no JSON. */
    text?: 'text/plain';
    /** The media types of an answer that is a file. */
    file?: readonly string[];
  } | null;
  errors: ErrorDescription;
  /** Answers without a key where the server asks for keys. */
  open?: boolean;
}
