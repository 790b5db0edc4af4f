import type { ExceptionFilter } from '@nestjs/common';
import { Catch } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/** Hands a consumer's error to the transport as it is; Nest would make every error the same one, and poison and outage alike. */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
