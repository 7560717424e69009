/// A thin layer over libpq, which is loaded when it is first needed, so that nobody needs it who keeps no journal in a
/// database.
///
/// Functions are libpq's of the same names but for those that say what they do.
#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#include <postgresql/libpq-fe.h>

/// Loads the library, once; false when it is not there. Nothing else may be called before.
_Bool cpostgresql_load(void);
/// Connects as a URL says, with limits of time where it has none. `password` may be NULL. It blocks.
PGconn *cpostgresql_connect(const char *url, const char *password);

void cpostgresql_finish(PGconn *connection);
ConnStatusType cpostgresql_status(const PGconn *connection);
const char *cpostgresql_errorMessage(const PGconn *connection);
/// Whether the server has asked for a password and there was none.
_Bool cpostgresql_connectionNeedsPassword(const PGconn *connection);
/// NULL where the server has not said it.
const char *cpostgresql_parameterStatus(const PGconn *connection, const char *name);
PQconninfoOption *cpostgresql_conninfoParse(const char *url, char **message);
void cpostgresql_conninfoFree(PQconninfoOption *options);
void cpostgresql_freemem(void *memory);

int cpostgresql_setnonblocking(PGconn *connection, int isNonblocking);
/// Has `processor` called, by other functions, with what the server says without being asked.
void cpostgresql_setNoticeProcessor(PGconn *connection, PQnoticeProcessor processor, void *context);
int cpostgresql_socket(const PGconn *connection);
int cpostgresql_sendQuery(PGconn *connection, const char *statements);
/// The parameters are texts; the rows are to come in the binary format where `isBinary` is 1.
int cpostgresql_sendQueryParams(
    PGconn *connection, const char *statement, int count, const char *const *values, int isBinary);
int cpostgresql_flush(PGconn *connection);
int cpostgresql_consumeInput(PGconn *connection);
int cpostgresql_isBusy(PGconn *connection);
PGresult *cpostgresql_getResult(PGconn *connection);
int cpostgresql_putCopyData(PGconn *connection, const char *bytes, int count);
int cpostgresql_putCopyEnd(PGconn *connection);
ExecStatusType cpostgresql_resultStatus(const PGresult *result);
/// The five characters of SQLSTATE; NULL when the error is the library's own.
const char *cpostgresql_resultState(const PGresult *result);
/// The server's sentence on what is wrong, without the statement; NULL when the error is the library's own.
const char *cpostgresql_resultMessage(const PGresult *result);
/// What the server adds to it; NULL when that is nothing.
const char *cpostgresql_resultDetail(const PGresult *result);
const char *cpostgresql_resultHint(const PGresult *result);
int cpostgresql_ntuples(const PGresult *result);
/// NULL for SQL's NULL.
const char *cpostgresql_getvalue(const PGresult *result, int row, int column);
int cpostgresql_getlength(const PGresult *result, int row, int column);
void cpostgresql_clear(PGresult *result);

#endif
