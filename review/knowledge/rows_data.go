package knowledge

// databases are statements in text and drivers.
var databases = []Row{
	{Name: "executenonquery|executescalar|executereader|executesql|executesqlraw|executesqlinterpolated|fromsqlraw|fromsql|executesqlcommand|querysingle|queryfirst|queryfirstordefault|querysingleordefault|jdbcupdate|preparestatement|executeupdate|executequery|$executeraw|executeraw|queryraw|executerawunsafe|queryrawunsafe|fetchrow|fetchval|fetchone|executemany|queryrow|queryrowcontext|execcontext|querycontext|namedexec|namedexeccontext|mustexec|queryrowx|selectcontext|getcontext|queryforobject|queryforlist|queryformap|batchupdate|sqlquery", Class: SQL},
	{Recv: "*db|*conn*|*tx*|*pool*|*cursor*|cur|c|*session*|*engine*|pg|sql|*client*|*database*|jdbc*|*template|connection|stmt|statement|knex|*queryrunner|*manager|sequelize|pgpool|queries|datasource|*sql*|q|trx", Name: "exec|execute|query|queryx|select|raw|update|get|run|all|insert|prepare|fetch|any|one|none|oneornone|manyornone", Class: SQL, Lib: "sql|psycopg|asyncpg|pgx|pg|mysql|sqlite|sqlx|database|sqlalchemy|jdbc|dapper|npgsql|mariadb|oracledb|aiosqlite|duckdb|cockroach|postgres|typeorm|sequelize|knex|cx_oracle|clickhouse|vertica|snowflake|pymssql|mssql"},
	{Lib: "pymongo|mongo|motor|mongodb|mongoose", Name: "insertone|insertmany|insert", Class: Insert, Key: "_id,0"},
	{Lib: "pymongo|mongo|motor|mongodb|mongoose", Name: "updateone|updatemany|findoneandupdate|findbyidandupdate|updatebyid", Class: "mongo", Key: "0"},
	{Lib: "pymongo|mongo|motor|mongodb|mongoose", Name: "replaceone|findoneandreplace|bulkwrite", Class: Put, Key: "0", Value: "1"},
	{Lib: "pymongo|mongo|motor|mongodb|mongoose", Name: "deleteone|deletemany|findoneanddelete|findbyidanddelete|findoneandremove", Class: Delete, Key: "0"},
	{Lib: "pymongo|mongo|motor|mongodb|mongoose", Name: "findone|find|aggregate|countdocuments|distinct|findbyid|exists", Class: Read, Key: "0"},
	{Lib: "redis|ioredis|lettuce|jedis|stackexchange.redis|go-redis|redisson", Name: "incr|incrby|decr|decrby|hincrby|incrbyfloat|hincrbyfloat|zincrby|stringincrement|stringdecrement|hashincrement|increment|decrement", Class: Increment, Key: "0"},
	{Lib: "redis|ioredis|lettuce|jedis|stackexchange.redis|go-redis|redisson", Name: "lpush|rpush|xadd|listleftpush|listrightpush|streamadd|append|leftpush|rightpush", Class: Append, Key: "0"},
	{Lib: "redis|ioredis|lettuce|jedis|stackexchange.redis|go-redis|redisson", Name: "setnx|stringsetnx|hsetnx|setifabsent|putifabsent", Class: Put, Key: "0", Value: "1", Flags: "cond"},
	{Lib: "redis|ioredis|lettuce|jedis|stackexchange.redis|go-redis|redisson", Name: "set|hset|setex|hmset|sadd|zadd|mset|stringset|hashset|setadd|expire|psetex|pfadd", Class: Put, Key: "0", Value: "1"},
	{Lib: "redis|ioredis|lettuce|jedis|stackexchange.redis|go-redis|redisson", Name: "del|unlink|hdel|srem|zrem|keydelete|delete|getdel", Class: Delete, Key: "0"},
	{Lib: "redis|ioredis|lettuce|jedis|stackexchange.redis|go-redis|redisson", Name: "get|hget|hgetall|mget|smembers|sismember|exists|lrange|zrange|ttl|keys|scan|stringget|hashget", Class: Read, Key: "0"},
	{Lib: "redis|ioredis|lettuce|jedis|stackexchange.redis|go-redis|redisson", Name: "publish", Class: Publish},
}

// orms are object mappers.
var orms = []Row{
	// SQLAlchemy, SQLModel
	{Lib: "sqlalchemy|sqlmodel|flask_sqlalchemy", Recv: "*session*|db|s|*sess|tx", Name: "add|addall|bulksaveobjects|bulkinsertmappings", Class: Insert, Value: "0"},
	{Lib: "sqlalchemy|sqlmodel", Recv: "*session*|db|s", Name: "merge", Class: Put, Value: "0"},
	{Lib: "sqlalchemy|sqlmodel", Recv: "*session*|db|s", Name: "get|scalar|scalars|exec|query|scalarone", Class: Read},
	{Lib: "sqlalchemy|sqlmodel", Recv: "*session*|db|s|*sess", Name: "commit|flush", Class: Commit},
	{Lib: "sqlalchemy", Recv: "*session*|db|s|*sess|conn*|engine", Name: "begin|beginnested", Class: Tx},
	{Lib: "sqlalchemy|sqlmodel", Recv: "-", Name: "insert", Class: Insert},
	{Lib: "sqlalchemy|sqlmodel", Recv: "-", Name: "update", Class: Put},
	{Lib: "sqlalchemy|sqlmodel", Recv: "-", Name: "delete", Class: Delete},
	{Lib: "sqlalchemy|sqlmodel", Recv: "-", Name: "select", Class: Read},
	// Django
	{Lib: "django", Recv: "objects", Name: "create|bulkcreate", Class: Insert},
	{Lib: "django", Recv: "objects", Name: "getorcreate|updateorcreate", Class: Put, Flags: "cond"},
	{Lib: "django", Recv: "objects", Name: "get|filter|all|first|exists|count|values|valueslist|last|aggregate", Class: Read},
	{Lib: "django", Recv: "objects", Name: "update|bulkupdate", Class: Put},
	{Lib: "django", Recv: "objects", Name: "delete", Class: Delete},
	{Lib: "django|models", Name: "save", Class: Put, Value: "recv", Key: "recv"},
	// gorm
	{Lib: "gorm", Name: "create|createinbatches", Class: Insert, Value: "0"},
	{Lib: "gorm", Name: "save|updates|update|updatecolumn|updatecolumns|firstorcreate", Class: Put, Value: "1,0", Key: "recv"},
	{Lib: "gorm", Name: "delete", Class: Delete},
	{Lib: "gorm", Name: "first|find|take|last|scan|pluck|count", Class: "into", Key: "1"},
	{Lib: "gorm", Name: "transaction|begin", Class: Tx},
	{Lib: "gorm", Name: "exec|raw", Class: SQL},
	// EF Core
	{Recv: "*context|*db|*dbcontext|db|ctx", Name: "savechanges", Class: Commit},
	{Recv: "*context|*db|*dbcontext|db", Name: "addrange|add", Class: Insert, Value: "0"},
	{Recv: "*database|*transaction*", Name: "begintransaction", Class: Tx},
	{Lib: "entityframeworkcore", Name: "executeupdate", Class: Put},
	{Lib: "entityframeworkcore", Name: "executedelete", Class: Delete},
	{Lib: "entityframeworkcore", Name: "find|firstordefault|first|single|singleordefault|tolist|any|count|toarray", Class: Read},
	// Dapper
	{Lib: "dapper", Name: "execute|executeasync|query|executescalar|querymultiple", Class: SQL},
	// JPA, Spring Data, Hibernate
	{Recv: "*entitymanager|em|entitymanager", Name: "persist", Class: Insert, Value: "0"},
	{Recv: "*entitymanager|em|entitymanager", Name: "merge", Class: Put, Value: "0"},
	{Recv: "*entitymanager|em|entitymanager", Name: "find|getreference|createquery", Class: Read},
	{Recv: "*entitymanager|em|entitymanager", Name: "remove", Class: Delete},
	{Recv: "*repository|*repo|*dao", Name: "save|saveall|saveandflush", Class: "entity", Value: "0"},
	{Recv: "*repository|*repo|*dao", Name: "findby*|findall*|existsby*|countby*|getone|getbyid|getreferencebyid|count|find*|get*|list*|load*|fetch*|exists*|query*|search*|read*|lookup*", Class: Read, Key: "0"},
	{Recv: "*repository|*repo|*dao", Name: "deleteby*|delete|deleteall*|remove*", Class: Delete, Key: "0"},
	// Prisma
	{Recv: "prisma|*prisma*|tx", Lib: "prisma", Name: "create|createmany|createmanyandreturn", Class: Insert, Key: "id", Value: "data"},
	{Recv: "prisma|*prisma*|tx", Lib: "prisma", Name: "upsert", Class: Put, Key: "where", Flags: "cond"},
	{Recv: "prisma|*prisma*|tx", Lib: "prisma", Name: "update|updatemany", Class: "prisma", Key: "where", Value: "data"},
	{Recv: "prisma|*prisma*|tx", Lib: "prisma", Name: "delete|deletemany", Class: Delete, Key: "where"},
	{Recv: "prisma|*prisma*|tx", Lib: "prisma", Name: "findunique|findfirst|findmany|count|aggregate|findfirstorthrow|finduniqueorthrow|groupby", Class: Read, Key: "where"},
	// TypeORM, Sequelize, Mongoose, knex, Drizzle
	{Lib: "typeorm", Recv: "*repository|*repo|*manager", Name: "insert", Class: Insert, Value: "0"},
	{Lib: "typeorm", Recv: "*repository|*repo|*manager", Name: "save", Class: "entity", Value: "0"},
	{Lib: "typeorm", Recv: "*repository|*repo|*manager", Name: "increment|decrement", Class: Increment},
	{Lib: "typeorm", Recv: "*repository|*repo|*manager", Name: "update", Class: Put, Key: "0", Value: "1"},
	{Lib: "sequelize", Name: "create|bulkcreate|build", Class: Insert, Value: "0"},
	{Lib: "sequelize", Name: "increment|decrement", Class: Increment},
	{Lib: "sequelize", Name: "update|save", Class: Put, Value: "0"},
	{Lib: "sequelize", Name: "findone|findall|findbypk|count", Class: Read},
	{Lib: "sequelize", Name: "destroy", Class: Delete},
	{Lib: "mongoose", Name: "create", Class: Insert, Value: "0"},
	{Lib: "mongoose", Name: "save", Class: Put, Value: "recv"},
	{Lib: "knex", Name: "insert", Class: Insert, Value: "0"},
	{Lib: "knex", Name: "increment|decrement", Class: Increment},
	{Lib: "knex", Name: "update", Class: Put, Value: "0"},
	{Lib: "drizzle", Name: "insert", Class: Insert},
	{Lib: "drizzle", Name: "update", Class: Put},
}

// stores are object stores and key-value services.
var stores = []Row{
	{Name: "putobject|uploadfile|uploadfileobj|upload_file|upload_fileobj|putobjectasync", Recv: "*s3*|*client|*bucket*|minio*|*minio*|s3|client|cos|oss", Class: Put, Key: "key,Key,object_name,1,2", Value: "body,Body"},
	{Lib: "boto3|aioboto3|s3", Name: "putobject|uploadfile|uploadfileobj", Class: Put, Key: "key,Key,2,1", Value: "Body"},
	{Lib: "boto3|aioboto3|s3", Name: "getobject|headobject|downloadfile|downloadfileobj|listobjects|listobjectsv2", Class: Read, Key: "Key,1"},
	{Lib: "boto3|aioboto3|s3", Name: "deleteobject|deleteobjects", Class: Delete, Key: "Key,1"},
	{Lib: "boto3|aioboto3|dynamo", Name: "putitem", Class: Put, Key: "Item,0", Value: "Item"},
	{Lib: "boto3|aioboto3|dynamo", Name: "updateitem", Class: "dynamo", Key: "Key,0"},
	{Lib: "boto3|aioboto3|dynamo", Name: "getitem|query|scan|batchgetitem", Class: Read, Key: "Key,0"},
	{Lib: "boto3|aioboto3|dynamo", Name: "deleteitem", Class: Delete, Key: "Key"},
	{Lib: "azure.storage|azure-storage|@azure/storage|azblob|azure.storage.blobs", Name: "uploadblob|upload|uploaddata|uploadfile|uploadstream|uploadbuffer|createblob|uploadpages", Class: Put, Key: "name,recv"},
	{Lib: "azure.storage|azure-storage|@azure/storage|azblob|azure.storage.blobs", Name: "downloadblob|download|downloadto|downloadcontent|exists|listblobs|getproperties|readall|downloadstream|downloadtobuffer", Class: Read, Key: "recv"},
	{Lib: "azure.storage|azure-storage|@azure/storage|azblob|azure.storage.blobs", Name: "deleteblob|delete|deleteifexists", Class: Delete, Key: "recv"},
	{Lib: "azure.storage|azure-storage|@azure/storage|azblob|azure.storage.blobs", Name: "appendblock", Class: Append, Key: "recv"},
	{Lib: "cosmos", Name: "createitem", Class: Insert, Key: "id,0", Flags: "strict"},
	{Lib: "cosmos", Name: "upsertitem|replaceitem", Class: Put, Key: "id,0", Value: "0"},
	{Lib: "cosmos", Name: "readitem|queryitems|readall", Class: Read},
	{Lib: "google.cloud.storage|google-cloud|@google-cloud/storage|cloud.google.com/go/storage", Name: "uploadfromstring|uploadfromfilename|uploadfromfile|save|newwriter|upload", Class: Put, Key: "recv"},
	{Lib: "google.cloud.storage|@google-cloud/storage|cloud.google.com/go/storage", Name: "downloadasbytes|downloadastext|download|newreader|exists", Class: Read, Key: "recv"},
	{Lib: "firestore|firebase", Name: "set|update|commit|merge", Class: Put, Key: "recv"},
	{Lib: "firestore|firebase", Name: "add", Class: Insert},
	{Lib: "elasticsearch|opensearch|@elastic", Name: "index", Class: Put, Key: "id"},
	{Lib: "chromadb|pinecone|qdrant|weaviate|milvus", Name: "upsert|add|addobject|adddocuments|insert", Class: Put, Key: "ids,id"},
	{Lib: "supabase", Name: "insert", Class: Insert, Value: "0"},
	{Lib: "supabase", Name: "upsert|update", Class: Put, Value: "0"},
}

// files are the local file system.
var files = []Row{
	{Recv: "-", Name: "open|aiofilesopen", Class: Open},
	{Recv: "aiofiles|os|codecs|io|gzip", Name: "open|openfile|fopen", Class: Open},
	{Recv: "file", Name: "write|writestring|writelines", Class: Put},
	{Recv: "fs|os|fsp|promises|*fs|ioutil|fspromises", Name: "writefile|writefilesync|outputfile|writejson", Class: Put, Key: "0", Value: "1"},
	{Recv: "*path*|path|*file*|p|files|file", Name: "writetext|writebytes|writealltext|writeallbytes|writealllines|writestring", Class: Put, Key: "recv,0", Value: "1"},
	{Recv: "fs|file|files|os|promises|fsp|*file*", Name: "appendfile|appendfilesync|appendalltext|appendalllines|appendtext", Class: Append, Key: "0"},
	{Recv: "fs|os|fsp|promises|files|file|*path*|shutil|pathlib|directory", Name: "unlink|rm|remove|unlinksync|rmsync|rmtree|rmdir|delete|removeall", Class: Delete, Key: "0,recv", Flags: "strict"},
	{Recv: "files", Name: "deleteifexists", Class: Delete, Key: "0"},
	{Recv: "fs|os|fsp|promises|files|*path*|shutil|directory|file", Name: "mkdir|makedirs|mkdirall|createdirectory|createdirectories|mkdirsync|copyfile|copy|copytree|ensuredir", Class: None},
	{Recv: "os|fs|shutil|files|promises|file", Name: "rename|move|replace|renamesync", Class: Delete, Key: "0", Flags: "strict"},
	{Recv: "fs|os|fsp|promises|ioutil|files|file|*path*|io", Name: "readfile|readfilesync|readtext|readbytes|readall|readalltext|readstring|stat|exists|existssync|listdir|readdir|isfile|readalllines", Class: Read, Key: "0,recv"},
}
